import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { PAGE_VERSION } from '@chat-web/protocol';
import * as v from 'valibot';
import { writtenToken } from './access/token.ts';

/** One setting: how its text is read, what holds without it, and what it is for. */
export interface Setting {
  /** Of its environment variable. */
  readonly name: string;
  readonly schema: v.GenericSchema<string, unknown>;
  /** The text that stands for an absent setting. Absent: the setting stays undefined. */
  readonly fallback?: string;
  /** How the fallback is told, where it depends on the machine. */
  readonly fallbackIs?: string;
  /** An empty value is a bad one, where it could be taken for a choice that was not made. Absent: it counts as absent. */
  readonly refusesBlank?: true;
  readonly meaning: string;
}

const SECOND_MS = 1_000;
const MB = 1_048_576;

const text = v.string();
const filePath = v.pipe(
  v.string(),
  v.transform((path) => resolve(path)),
);
const wholeNumber = (lowest: number, highest: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d{1,15}$/, 'must be a whole number'),
    v.transform(Number),
    v.minValue(lowest, `must be at least ${lowest}`),
    v.maxValue(highest, `must be at most ${highest}`),
  );
const seconds = (lowest: number, highest: number) =>
  v.pipe(
    wholeNumber(lowest, highest),
    v.transform((written) => written * SECOND_MS),
  );
const megabytes = (lowest: number, highest: number) =>
  v.pipe(
    wholeNumber(lowest, highest),
    v.transform((written) => written * MB),
  );

const OFF = 'off';
const portOrOff = v.pipe(
  v.string(),
  v.toLowerCase(),
  v.check((written) => written === OFF || /^\d{1,5}$/.test(written), 'must be a whole number, or off'),
  v.transform((written) => (written === OFF ? undefined : Number(written))),
  v.check((port) => port === undefined || port <= 65_535, 'must be at most 65535'),
);

/** What the kernel takes. */
const LONGEST_SOCKET_PATH = 107;
const socketPath = v.pipe(
  filePath,
  v.check(
    (path) => Buffer.byteLength(path) <= LONGEST_SOCKET_PATH,
    `must have at most ${LONGEST_SOCKET_PATH} bytes, as the whole path`,
  ),
);
const fileMode = v.pipe(
  v.string(),
  v.regex(/^0?[0-7]{3}$/, 'must be three octal digits, such as 660'),
  v.transform((written) => Number.parseInt(written, 8)),
);

const YES = ['true', '1', 'yes'];
const NO = ['false', '0', 'no'];
const yesOrNo = v.pipe(
  v.string(),
  v.toLowerCase(),
  v.picklist([...YES, ...NO], 'must be true, false, 1, 0, yes or no'),
  v.transform((written) => YES.includes(written)),
);

const list = v.pipe(
  v.string(),
  v.transform((written) =>
    written
      .split(',')
      .map((item) => item.trim().toLowerCase())
      .filter(Boolean),
  ),
);

/** Hosts, `host:port` or CIDR ranges. */
const hosts = v.pipe(
  list,
  v.check((entries) => entries.every(isHostOrRange), 'must be hosts, host:port or CIDR ranges such as 10.0.0.0/8'),
);

function isHostOrRange(entry: string): boolean {
  const [address = '', prefix] = entry.split('/');
  if (prefix === undefined) return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/.test(entry);
  const most = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= most;
}

const jsonStrings = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    try {
      return v.parse(v.array(v.string()), JSON.parse(dataset.value));
    } catch {
      addIssue({ message: 'must be a JSON array of strings, such as ["--lang=de"]' });
      return NEVER;
    }
  }),
);

/** Every setting of the gateway, by its field in the configuration. Times are in milliseconds there, sizes in bytes. */
export const settings = {
  host: { name: 'CHAT_WEB_HOST', schema: text, fallback: '127.0.0.1', meaning: 'listen address' },
  port: {
    name: 'CHAT_WEB_PORT',
    schema: portOrOff,
    fallback: '3000',
    meaning: 'listen port; 0 picks a free one, and the log names it; off: no TCP, only CHAT_WEB_SOCKET',
  },
  socketPath: {
    name: 'CHAT_WEB_SOCKET',
    schema: socketPath,
    meaning:
      "path of a unix socket to listen on as well; its folder must exist, and nobody but the gateway's user and root may write it",
  },
  socketMode: {
    name: 'CHAT_WEB_SOCKET_MODE',
    schema: fileMode,
    fallbackIs: '`0600`, with a group `0660`',
    meaning: 'permissions of the socket: who may write it may connect',
  },
  socketGroup: {
    name: 'CHAT_WEB_SOCKET_GROUP',
    schema: text,
    meaning: "group of the socket: a name or number; the gateway's user must be in it",
  },
  tlsCertFile: {
    name: 'CHAT_WEB_TLS_CERT',
    schema: filePath,
    refusesBlank: true,
    meaning: 'file with a certificate and its intermediates, as PEM: the port speaks HTTPS; SIGHUP reads it again',
  },
  tlsKeyFile: {
    name: 'CHAT_WEB_TLS_KEY',
    schema: filePath,
    refusesBlank: true,
    meaning: 'file with its key, as PEM without a passphrase',
  },
  token: {
    name: 'CHAT_WEB_TOKEN',
    schema: writtenToken,
    refusesBlank: true,
    meaning:
      'bearer token that every route but GET /health and GET /health/ready asks for, or `sha256:<hex>` of it; without it none is asked for',
  },
  tokenFile: {
    name: 'CHAT_WEB_TOKEN_FILE',
    schema: filePath,
    refusesBlank: true,
    meaning: 'file whose first line is the token, in either form; SIGHUP reads it again',
  },
  tokenGraceMs: {
    name: 'CHAT_WEB_TOKEN_GRACE_SECONDS',
    schema: seconds(0, 604_800),
    fallback: '0',
    meaning: 'how long the former token holds, and its streams stay open, after its file has changed',
  },
  allowNoToken: {
    name: 'CHAT_WEB_ALLOW_NO_TOKEN',
    schema: yesOrNo,
    fallback: 'false',
    meaning: 'listen on other addresses than loopback although no token is set',
  },
  authFailuresPerMinute: {
    name: 'CHAT_WEB_AUTH_FAILURES_PER_MINUTE',
    schema: wholeNumber(0, 1_000_000),
    fallback: '10',
    meaning: 'wrong tokens from one address within a minute after which further ones are 429; 0: no limit',
  },
  auditFile: {
    name: 'CHAT_WEB_AUDIT_FILE',
    schema: filePath,
    refusesBlank: true,
    fallbackIs: 'the log',
    meaning: 'file to which the audit lines are appended; SIGHUP opens it again',
  },
  autoStartSessions: {
    name: 'CHAT_WEB_AUTO_START_SESSIONS',
    schema: yesOrNo,
    fallback: 'true',
    meaning: 'start saved sessions at boot',
  },
  dataDir: {
    name: 'CHAT_WEB_DATA_DIR',
    schema: filePath,
    fallback: './data',
    meaning: "all that the gateway keeps; systemd's STATE_DIRECTORY comes before the default",
  },
  browserPath: {
    name: 'CHAT_WEB_BROWSER_PATH',
    schema: text,
    meaning:
      "the browser's executable; else PUPPETEER_EXECUTABLE_PATH, puppeteer's own download, or a Chromium or Chrome on the PATH",
  },
  headlessShell: {
    name: 'CHAT_WEB_HEADLESS_SHELL',
    schema: yesOrNo,
    fallback: 'false',
    meaning: 'use chromium-headless-shell, which takes less memory; untried against the real network',
  },
  browserArgs: {
    name: 'CHAT_WEB_BROWSER_ARGS',
    schema: jsonStrings,
    fallback: '[]',
    meaning: 'further browser arguments: a JSON array of strings, passed as they are',
  },
  pageVersion: {
    name: 'CHAT_WEB_PAGE_VERSION',
    schema: v.pipe(v.string(), v.regex(PAGE_VERSION, 'must be a version such as 2.3000.1049703040')),
    meaning: "the build of the page to load, from the folder of saved pages, in the place of the network's newest",
  },
  pageDir: {
    name: 'CHAT_WEB_PAGE_DIR',
    schema: filePath,
    fallbackIs: 'pages in the data folder',
    meaning: 'folder of saved pages, {version}.html: each build on which a session became ready is kept there',
  },
  startConcurrency: {
    name: 'CHAT_WEB_START_CONCURRENCY',
    schema: wholeNumber(1, 64),
    fallback: String(availableParallelism()),
    fallbackIs: 'the number of cores',
    meaning: 'browsers that may be booting at one moment',
  },
  startTimeoutMs: {
    name: 'CHAT_WEB_START_TIMEOUT_SECONDS',
    schema: seconds(5, 3_600),
    fallback: '90',
    meaning: 'a start counts as failed when it has shown no progress towards qr or ready for so long',
  },
  syncTimeoutMs: {
    name: 'CHAT_WEB_SYNC_TIMEOUT_SECONDS',
    schema: seconds(10, 86_400),
    fallback: '600',
    meaning: 'the same from the scan of the QR on: the first sync of an account with much history takes minutes',
  },
  qrTimeoutMs: {
    name: 'CHAT_WEB_QR_TIMEOUT_SECONDS',
    schema: seconds(10, 86_400),
    fallback: '600',
    meaning: 'a session whose QR nobody has scanned for so long is stopped',
  },
  reconnectTimeoutMs: {
    name: 'CHAT_WEB_RECONNECT_TIMEOUT_SECONDS',
    schema: seconds(10, 86_400),
    fallback: '300',
    meaning: 'how long a page that has lost its connection may try to get it back, before its session is restarted',
  },
  silenceTimeoutMs: {
    name: 'CHAT_WEB_SILENCE_TIMEOUT_SECONDS',
    schema: seconds(10, 86_400),
    fallback: '300',
    meaning: 'after so long without a word of the network, a session asks whether it is still there',
  },
  takeOverOnConflict: {
    name: 'CHAT_WEB_TAKE_OVER_ON_CONFLICT',
    schema: yesOrNo,
    fallback: 'false',
    meaning: 'take an account back that is used elsewhere with the same link, at most three times an hour',
  },
  memorySoftBytes: {
    name: 'CHAT_WEB_MEMORY_SOFT_MB',
    schema: megabytes(100, 1_000_000),
    fallback: '700',
    meaning:
      'memory (PSS) of a session, worker and browser, above which it is restarted as soon as it is idle; for one that takes more once it has settled, half more than it took then',
  },
  memoryHardBytes: {
    name: 'CHAT_WEB_MEMORY_HARD_MB',
    schema: megabytes(100, 1_000_000),
    fallback: '2048',
    meaning: 'memory of a session above which it is restarted at once',
  },
  memorySettleMs: {
    name: 'CHAT_WEB_MEMORY_SETTLE_SECONDS',
    schema: seconds(1, 86_400),
    fallback: '600',
    meaning: 'how long after it has become ready a session counts as settled: the memory it takes then is its level',
  },
  cgroups: {
    name: 'CHAT_WEB_CGROUPS',
    schema: yesOrNo,
    fallback: 'false',
    meaning:
      'give each session a cgroup of its own; only where one is delegated to the gateway, as by its systemd unit',
  },
  minFreeMemoryBytes: {
    name: 'CHAT_WEB_MIN_FREE_MEMORY_MB',
    schema: megabytes(0, 1_000_000),
    fallback: '300',
    meaning: 'no session starts while the host has less memory available',
  },
  minFreeDiskBytes: {
    name: 'CHAT_WEB_MIN_FREE_DISK_MB',
    schema: megabytes(0, 100_000_000),
    fallback: '200',
    meaning: 'no session starts, and no file is taken, while the disk of the data folder has less free space',
  },
  maxSessions: {
    name: 'CHAT_WEB_MAX_SESSIONS',
    schema: wholeNumber(1, 100_000),
    fallback: '500',
    meaning: 'how many sessions there may be, running or with saved auth; those that are there already stay',
  },
  maxConnections: {
    name: 'CHAT_WEB_MAX_CONNECTIONS',
    schema: wholeNumber(10, 1_000_000),
    fallbackIs: 'three quarters of the limit of open files',
    meaning: 'how many connections may be open; those beyond are closed at once',
  },
  maxRequestsPerSession: {
    name: 'CHAT_WEB_MAX_REQUESTS_PER_SESSION',
    schema: wholeNumber(1, 100_000),
    fallback: '100',
    meaning: 'how many requests may be under way for a session; those beyond are refused (429)',
  },
  maxRequestsPerKey: {
    name: 'CHAT_WEB_MAX_REQUESTS_PER_KEY',
    schema: wholeNumber(1, 100_000),
    fallback: '200',
    meaning: 'the same by a key, over all its sessions; its open event streams count',
  },
  spoolMaxBytes: {
    name: 'CHAT_WEB_SPOOL_MAX_MB',
    schema: megabytes(1, 100_000_000),
    fallback: '2048',
    meaning:
      'disk space for uploads and downloads on their way, of all sessions; what goes beyond is refused (503). Files fetched by `url` count for their session alone',
  },
  spoolSessionMaxBytes: {
    name: 'CHAT_WEB_SPOOL_SESSION_MAX_MB',
    schema: megabytes(1, 100_000_000),
    fallback: '512',
    meaning: 'the same for one session; what goes beyond is refused (429)',
  },
  cacheMaxBytes: {
    name: 'CHAT_WEB_CACHE_MAX_MB',
    schema: megabytes(0, 100_000),
    fallback: '100',
    meaning: "size of a browser's caches above which they are removed before it starts",
  },
  maxBodyBytes: {
    name: 'CHAT_WEB_MAX_BODY_BYTES',
    schema: wholeNumber(1_024, 1_073_741_824),
    fallback: '104857600',
    meaning: 'largest request body; 512 KB of it may be other than base64',
  },
  mediaHosts: {
    name: 'CHAT_WEB_MEDIA_HOSTS',
    schema: hosts,
    fallback: '',
    meaning:
      'hosts (or host:port, or CIDR ranges) that a media url may name although they are not on the public internet; comma between them',
  },
  mediaMaxBytes: {
    name: 'CHAT_WEB_MEDIA_MAX_BYTES',
    schema: wholeNumber(1_024, 1_073_741_824),
    fallback: '67108864',
    meaning: 'largest file that a media url may bring',
  },
  mediaTimeoutMs: {
    name: 'CHAT_WEB_MEDIA_TIMEOUT_SECONDS',
    schema: seconds(1, 40),
    fallback: '30',
    meaning: 'how long fetching a media url may take',
  },
  allowedHosts: {
    name: 'CHAT_WEB_ALLOWED_HOSTS',
    schema: list,
    fallback: '',
    meaning: 'additional Host names accepted when no token is set; comma between them',
  },
  logLevel: {
    name: 'CHAT_WEB_LOG_LEVEL',
    schema: v.picklist(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'must be fatal, error, warn, info, debug, trace or silent',
    ),
    fallback: 'info',
    meaning: 'log level: fatal, error, warn, info, debug, trace or silent',
  },
  envFile: {
    name: 'CHAT_WEB_ENV_FILE',
    schema: filePath,
    meaning: "file of KEY=value lines, as systemd's EnvironmentFile: SIGHUP reads the log level from it again",
  },
} as const satisfies Record<string, Setting>;
