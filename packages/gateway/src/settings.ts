import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { PAGE_VERSION, writtenNumber } from '@chat-web/protocol';
import * as v from 'valibot';
import { writtenToken } from './access/token.ts';
import { logLevel } from './log-level.ts';

export interface Setting {
  readonly name: string;
  readonly schema: v.GenericSchema<string, unknown>;
  /** The default, as text. Absent: the setting stays undefined. */
  readonly fallback?: string;
  /** How `--help` and the docs describe the default, if it depends on the machine. */
  readonly fallbackIs?: string;
  /** An empty value is invalid, since it is probably a mistake that opens the gateway. Absent: empty means unset. */
  readonly refusesBlank?: true;
  readonly meaning: string;
}

const text = v.string();
const filePath = v.pipe(
  v.string(),
  v.transform((path) => resolve(path)),
);
const decimal = (highest: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d{1,6}(\.\d{1,3})?$/, 'must be a number such as 2 or 0.25, with three decimals at most'),
    v.transform(Number),
    v.maxValue(highest, `must be at most ${highest}`),
  );
const inUnitsOf = (unit: number) => (lowest: number, highest: number) =>
  v.pipe(
    writtenNumber(lowest, highest),
    v.transform((written) => written * unit),
  );
const seconds = inUnitsOf(1_000);
const hours = inUnitsOf(3_600_000);
const megabytes = inUnitsOf(1_048_576);

const OFF = 'off';
const portOrOff = v.pipe(
  v.string(),
  v.toLowerCase(),
  v.check((written) => written === OFF || /^\d{1,5}$/.test(written), 'must be a whole number, or off'),
  v.transform((written) => (written === OFF ? undefined : Number(written))),
  v.check((port) => port === undefined || port <= 65_535, 'must be at most 65535'),
);

/** The kernel's limit, in bytes. */
const MAX_SOCKET_PATH_LENGTH = 107;
const socketPath = v.pipe(
  filePath,
  v.check(
    (path) => Buffer.byteLength(path) <= MAX_SOCKET_PATH_LENGTH,
    `must have at most ${MAX_SOCKET_PATH_LENGTH} bytes as an absolute path`,
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

const baseUrl = v.pipe(
  v.string(),
  v.check(
    (written) => /^https?:\/\//.test(written) && URL.canParse(written) && new URL(written).pathname === '/',
    'must be an http or https URL without a path, such as https://host-1.internal:3000',
  ),
  v.transform((written) => new URL(written).origin),
);

export const clusterUrls = v.pipe(
  v.string(),
  v.transform((written) => written.split(',').map((url) => url.trim())),
  v.check(
    (urls) => urls.every((url) => /^postgres(ql)?:\/\/./.test(url)),
    'must be URLs such as postgresql://user:password@host/database',
  ),
);

const hosts = v.pipe(
  list,
  v.check((entries) => entries.every(isHostOrRange), 'must be hosts, host:port or CIDR ranges such as 10.0.0.0/8'),
);

const origins = v.pipe(
  list,
  v.check(
    (entries) => entries.every(isOrigin),
    'must be origins such as https://app.example.org, without a path; * and null are refused',
  ),
);

const delaysInSeconds = v.pipe(
  list,
  v.minLength(1, 'must be whole numbers, such as 5,60,600'),
  v.maxLength(20, 'must be at most 20 numbers'),
  v.array(seconds(0, 604_800)),
);

function isOrigin(entry: string): boolean {
  return /^https?:\/\/[^*]+$/.test(entry) && URL.canParse(entry) && new URL(entry).origin === entry;
}

function isHostOrRange(entry: string): boolean {
  const [address = '', prefix] = entry.split('/');
  if (prefix === undefined) return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/.test(entry);
  const max = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= max;
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

/** Every setting of the gateway, by its field in `Config`. Times there are in milliseconds, sizes in bytes. */
export const settings = {
  host: { name: 'CHAT_WEB_HOST', schema: text, fallback: '127.0.0.1', meaning: 'listen address' },
  port: {
    name: 'CHAT_WEB_PORT',
    schema: portOrOff,
    fallback: '3000',
    meaning: 'listen port; 0 picks a free one and logs it; off: no TCP, only CHAT_WEB_SOCKET',
  },
  socketPath: {
    name: 'CHAT_WEB_SOCKET',
    schema: socketPath,
    meaning:
      "path of a unix socket to listen on as well; its folder must exist and be writable only by the gateway's user and root",
  },
  socketMode: {
    name: 'CHAT_WEB_SOCKET_MODE',
    schema: fileMode,
    fallbackIs: '`0600`, with a group `0660`',
    meaning: 'permissions of the socket; connecting needs write permission',
  },
  socketGroup: {
    name: 'CHAT_WEB_SOCKET_GROUP',
    schema: text,
    meaning: "group of the socket, name or number; the gateway's user must be a member",
  },
  tlsCertFile: {
    name: 'CHAT_WEB_TLS_CERT',
    schema: filePath,
    refusesBlank: true,
    meaning: 'PEM file with the certificate and its intermediates: the port serves HTTPS; SIGHUP reloads it',
  },
  tlsKeyFile: {
    name: 'CHAT_WEB_TLS_KEY',
    schema: filePath,
    refusesBlank: true,
    meaning: 'PEM file with its key, without a passphrase',
  },
  token: {
    name: 'CHAT_WEB_TOKEN',
    schema: writtenToken,
    refusesBlank: true,
    meaning:
      'bearer token, or `sha256:<hex>` of it, required on every route except GET /health, /health/front and /health/ready, and the static files of /console and /docs; unset: no token required',
  },
  tokenFile: {
    name: 'CHAT_WEB_TOKEN_FILE',
    schema: filePath,
    refusesBlank: true,
    meaning: 'file whose first line is the token, in either form; SIGHUP reloads it',
  },
  tokenGraceMs: {
    name: 'CHAT_WEB_TOKEN_GRACE_SECONDS',
    schema: seconds(0, 604_800),
    fallback: '0',
    meaning: 'how long the previous token stays valid, and its streams open, after the file changes',
  },
  allowNoToken: {
    name: 'CHAT_WEB_ALLOW_NO_TOKEN',
    schema: yesOrNo,
    fallback: 'false',
    meaning: 'allow listening on non-loopback addresses without a token',
  },
  authFailuresPerMinute: {
    name: 'CHAT_WEB_AUTH_FAILURES_PER_MINUTE',
    schema: writtenNumber(0, 1_000_000),
    fallback: '10',
    meaning: 'wrong tokens per minute and address above which further ones get 429; 0: no limit',
  },
  auditFile: {
    name: 'CHAT_WEB_AUDIT_FILE',
    schema: filePath,
    refusesBlank: true,
    fallbackIs: 'the log',
    meaning: 'file that audit lines are appended to; SIGHUP reopens it',
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
    meaning: "folder for all of the gateway's data; systemd's STATE_DIRECTORY overrides the default",
  },
  browserPath: {
    name: 'CHAT_WEB_BROWSER_PATH',
    schema: text,
    meaning:
      "browser executable; unset: PUPPETEER_EXECUTABLE_PATH, puppeteer's own download, or Chromium or Chrome on the PATH",
  },
  headlessShell: {
    name: 'CHAT_WEB_HEADLESS_SHELL',
    schema: yesOrNo,
    fallback: 'false',
    meaning: 'use chromium-headless-shell: 30 MB less per session; not tested on the real network',
  },
  browserWindow: {
    name: 'CHAT_WEB_BROWSER_WINDOW',
    schema: yesOrNo,
    fallback: 'false',
    meaning: "show the browsers' windows, to link an account on its owner's computer; needs a display",
  },
  browserArgs: {
    name: 'CHAT_WEB_BROWSER_ARGS',
    schema: jsonStrings,
    fallback: '[]',
    meaning: 'additional browser arguments: a JSON array of strings, passed unchanged',
  },
  pageVersion: {
    name: 'CHAT_WEB_PAGE_VERSION',
    schema: v.pipe(v.string(), v.regex(PAGE_VERSION, 'must be a version such as 2.3000.1049703040')),
    meaning: "page build to load from the folder of saved pages, instead of the network's newest",
  },
  pageDir: {
    name: 'CHAT_WEB_PAGE_DIR',
    schema: filePath,
    fallbackIs: 'pages in the data folder',
    meaning: 'folder of saved pages, {version}.html; every build on which a session became ready is saved',
  },
  startConcurrency: {
    name: 'CHAT_WEB_START_CONCURRENCY',
    schema: writtenNumber(1, 64),
    fallback: String(availableParallelism()),
    fallbackIs: 'the number of cores',
    meaning: 'maximum number of browsers that start at the same time; fewer while the processor is busy',
  },
  startTimeoutMs: {
    name: 'CHAT_WEB_START_TIMEOUT_SECONDS',
    schema: seconds(5, 3_600),
    fallback: '90',
    meaning: 'a start fails after this long without progress towards qr or ready',
  },
  syncTimeoutMs: {
    name: 'CHAT_WEB_SYNC_TIMEOUT_SECONDS',
    schema: seconds(10, 86_400),
    fallback: '600',
    meaning: 'the same after the QR is scanned: the first sync of an account with a long history takes minutes',
  },
  qrTimeoutMs: {
    name: 'CHAT_WEB_QR_TIMEOUT_SECONDS',
    schema: seconds(10, 86_400),
    fallback: '600',
    meaning: 'a session is stopped if its QR is not scanned for this long',
  },
  reconnectTimeoutMs: {
    name: 'CHAT_WEB_RECONNECT_TIMEOUT_SECONDS',
    schema: seconds(10, 86_400),
    fallback: '300',
    meaning: 'how long a page may try to reconnect before its session is restarted',
  },
  silenceTimeoutMs: {
    name: 'CHAT_WEB_SILENCE_TIMEOUT_SECONDS',
    schema: seconds(10, 86_400),
    fallback: '300',
    meaning: 'a session checks its connection after this long without traffic from the network',
  },
  takeOverOnConflict: {
    name: 'CHAT_WEB_TAKE_OVER_ON_CONFLICT',
    schema: yesOrNo,
    fallback: 'false',
    meaning: 'take back an account that is used elsewhere with the same link, at most three times an hour',
  },
  memorySoftBytes: {
    name: 'CHAT_WEB_MEMORY_SOFT_MB',
    schema: megabytes(100, 1_000_000),
    fallback: '700',
    meaning:
      'memory (PSS) of worker and browser above which a session is restarted once idle; 1.5 times the settled memory, if that is more',
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
    meaning: "how long after ready a session's memory counts as settled",
  },
  cgroups: {
    name: 'CHAT_WEB_CGROUPS',
    schema: yesOrNo,
    fallback: 'false',
    meaning: 'run each session in its own cgroup; needs a cgroup delegated to the gateway, as its systemd unit does',
  },
  mcp: {
    name: 'CHAT_WEB_MCP',
    schema: yesOrNo,
    fallback: 'false',
    meaning: 'offer tools to agents at `POST /mcp`',
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
    meaning: "no session starts and no file is accepted while the data folder's disk has less free space",
  },
  maxSessions: {
    name: 'CHAT_WEB_MAX_SESSIONS',
    schema: writtenNumber(1, 100_000),
    fallback: '500',
    meaning: 'maximum number of sessions, running or with saved auth; existing ones are kept',
  },
  maxConnections: {
    name: 'CHAT_WEB_MAX_CONNECTIONS',
    schema: writtenNumber(10, 1_000_000),
    fallbackIs: 'three quarters of the limit of open files',
    meaning:
      'maximum number of open connections; near it, those that have been idle longest are closed, and beyond it new ones; fewer if sessions, uploads and webhooks need the open files',
  },
  keepAliveMs: {
    name: 'CHAT_WEB_KEEP_ALIVE_SECONDS',
    schema: seconds(1, 3_600),
    fallback: '75',
    meaning: 'how long an idle connection is kept for the next request; longer than a proxy in front keeps it',
  },
  maxRequestsPerSession: {
    name: 'CHAT_WEB_MAX_REQUESTS_PER_SESSION',
    schema: writtenNumber(1, 100_000),
    fallback: '100',
    meaning:
      'requests that may be in progress per session, three quarters of them with one key; further ones are rejected (429)',
  },
  maxRequestsPerKey: {
    name: 'CHAT_WEB_MAX_REQUESTS_PER_KEY',
    schema: writtenNumber(1, 100_000),
    fallback: '200',
    meaning: 'the same per key, across all its sessions; open event streams count',
  },
  maxSendsPerSecond: {
    name: 'CHAT_WEB_MAX_SENDS_PER_SECOND',
    schema: decimal(1_000),
    fallback: '0',
    meaning:
      'messages, statuses and channel posts per second and session, and the size of a burst; 0.2 allows one in 5 seconds; further ones are rejected (429); 0: no limit',
  },
  maxNewChatsPerDay: {
    name: 'CHAT_WEB_MAX_NEW_CHATS_PER_DAY',
    schema: writtenNumber(0, 10_000),
    fallback: '0',
    meaning: 'new people that a session may write to in 24 hours; further ones are rejected (429); 0: no limit',
  },
  journalMaxAgeMs: {
    name: 'CHAT_WEB_JOURNAL_MAX_AGE_HOURS',
    schema: hours(1, 87_600),
    fallback: '72',
    meaning: 'how long events are kept for readers that reconnect',
  },
  journalMaxBytes: {
    name: 'CHAT_WEB_JOURNAL_MAX_MB',
    schema: megabytes(32, 1_000_000),
    fallback: '1024',
    meaning: 'maximum disk space for the events of all sessions; the oldest are removed first',
  },
  spoolMaxBytes: {
    name: 'CHAT_WEB_SPOOL_MAX_MB',
    schema: megabytes(1, 100_000_000),
    fallback: '2048',
    meaning:
      'disk quota for uploads and downloads in progress, of all sessions; what exceeds it is rejected (503). Files fetched by `url` count only for their session',
  },
  spoolSessionMaxBytes: {
    name: 'CHAT_WEB_SPOOL_SESSION_MAX_MB',
    schema: megabytes(1, 100_000_000),
    fallback: '512',
    meaning: 'the same for one session; what exceeds it is rejected (429)',
  },
  importMaxBytes: {
    name: 'CHAT_WEB_IMPORT_MAX_MB',
    schema: megabytes(1, 8_191),
    fallback: '2048',
    meaning: 'maximum size of the archive of an imported session',
  },
  cacheMaxBytes: {
    name: 'CHAT_WEB_CACHE_MAX_MB',
    schema: megabytes(0, 100_000),
    fallback: '100',
    meaning: "size above which a browser's caches are removed before it starts",
  },
  maxBodyBytes: {
    name: 'CHAT_WEB_MAX_BODY_BYTES',
    schema: writtenNumber(1_024, 1_073_741_824),
    fallback: '104857600',
    meaning: 'maximum request body; at most 512 KB of it besides base64',
  },
  mediaHosts: {
    name: 'CHAT_WEB_MEDIA_HOSTS',
    schema: hosts,
    fallback: '',
    meaning: 'non-public hosts, host:port or CIDR ranges that a media url may use; comma-separated',
  },
  mediaMaxBytes: {
    name: 'CHAT_WEB_MEDIA_MAX_BYTES',
    schema: writtenNumber(1_024, 1_073_741_824),
    fallback: '67108864',
    meaning: 'maximum size of a file fetched from a media url',
  },
  mediaTimeoutMs: {
    name: 'CHAT_WEB_MEDIA_TIMEOUT_SECONDS',
    schema: seconds(1, 40),
    fallback: '30',
    meaning: 'time limit for fetching a media url',
  },
  proxyHosts: {
    name: 'CHAT_WEB_PROXY_HOSTS',
    schema: hosts,
    fallback: '',
    meaning: 'non-public hosts, host:port or CIDR ranges that the proxy of a session may use; comma-separated',
  },
  clusterUrls: {
    name: 'CHAT_WEB_CLUSTER_URL',
    schema: clusterUrls,
    refusesBlank: true,
    meaning: 'URLs of the PostgreSQL server that the hosts of a cluster share, and of its standbys; comma-separated',
  },
  clusterUrlFile: {
    name: 'CHAT_WEB_CLUSTER_URL_FILE',
    schema: filePath,
    refusesBlank: true,
    meaning: 'file whose first line is the same',
  },
  clusterAddress: {
    name: 'CHAT_WEB_CLUSTER_ADDRESS',
    schema: baseUrl,
    fallbackIs: 'the address on which the gateway listens',
    meaning: 'base URL at which the other gateways of the cluster reach this one',
  },
  clusterSessions: {
    name: 'CHAT_WEB_CLUSTER_SESSIONS',
    schema: writtenNumber(0, 10_000),
    fallbackIs: 'one for each 400 MB of memory, less 500 MB',
    meaning: 'how many sessions are placed on this host',
  },
  clusterDisk: {
    name: 'CHAT_WEB_CLUSTER_DISK',
    schema: v.picklist(['attached', 'exclusive'], 'must be attached or exclusive'),
    fallback: 'attached',
    meaning:
      'exclusive: the platform attaches the disk of the data folder to one machine at a time, so that another may continue without a confirmation',
  },
  clusterEventsMaxBytes: {
    name: 'CHAT_WEB_CLUSTER_EVENTS_MAX_MB',
    schema: megabytes(100, 100_000_000),
    fallback: '20480',
    meaning: 'maximum size of the events of all hosts in the database; the oldest are dropped first',
  },
  webhookHosts: {
    name: 'CHAT_WEB_WEBHOOK_HOSTS',
    schema: hosts,
    fallback: '',
    meaning: 'non-public hosts, host:port or CIDR ranges that webhooks may use, also without https; comma-separated',
  },
  webhookRetryDelaysMs: {
    name: 'CHAT_WEB_WEBHOOK_RETRY_SECONDS',
    schema: delaysInSeconds,
    fallback: '5,300,1800,7200,18000,36000,36000',
    meaning:
      'delays between the attempts to deliver a webhook event, which becomes a dead letter after the last; comma-separated',
  },
  allowedHosts: {
    name: 'CHAT_WEB_ALLOWED_HOSTS',
    schema: list,
    fallback: '',
    meaning: 'additional Host names accepted when no token is set; comma-separated',
  },
  corsOrigins: {
    name: 'CHAT_WEB_CORS_ORIGINS',
    schema: origins,
    fallback: '',
    meaning: 'origins of other web pages that may call the gateway, such as https://app.example.org; comma-separated',
  },
  logLevel,
  envFile: {
    name: 'CHAT_WEB_ENV_FILE',
    schema: filePath,
    meaning: "file of KEY=value lines, like systemd's EnvironmentFile; SIGHUP reloads the log level from it",
  },
} as const satisfies Record<string, Setting>;
