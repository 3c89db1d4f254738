import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closest } from 'fastest-levenshtein';
import * as v from 'valibot';
import { isLoopback } from './host/addresses.ts';
import type { CertificateFiles } from './http/certificate.ts';
import type { SocketFile } from './http/socket-file.ts';
import { type Setting, settings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

type SettingName = keyof typeof settings;
type Value<N extends SettingName> = v.InferOutput<(typeof settings)[N]['schema']>;
type Values = {
  readonly [N in SettingName]: (typeof settings)[N] extends { fallback: string } ? Value<N> : Value<N> | undefined;
};

/** The settings as the gateway uses them: read once, frozen, and passed as an argument from there. */
export interface Config {
  readonly host: string;
  /** Absent: not over TCP. */
  readonly port: number | undefined;
  readonly socket: SocketFile | undefined;
  readonly tls: CertificateFiles | undefined;
  /** The token, or `sha256:<hex>` of it. */
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly tokenGraceMs: number;
  /** 0: no limit. */
  readonly authFailuresPerMinute: number;
  readonly auditFile: string | undefined;
  readonly autoStartSessions: boolean;
  readonly dataDir: string;
  readonly browserPath: string | undefined;
  readonly headlessShell: boolean;
  readonly browserArgs: readonly string[];
  /** The build of the page to load; absent: the network's newest. */
  readonly pageVersion: string | undefined;
  /** Where documents of the page are kept; absent: in the data folder. */
  readonly pageDir: string | undefined;
  readonly startConcurrency: number;
  readonly startTimeoutMs: number;
  readonly syncTimeoutMs: number;
  readonly qrTimeoutMs: number;
  readonly reconnectTimeoutMs: number;
  readonly silenceTimeoutMs: number;
  readonly takeOverOnConflict: boolean;
  readonly memorySoftBytes: number;
  readonly memoryHardBytes: number;
  readonly memorySettleMs: number;
  readonly cgroups: boolean;
  readonly minFreeMemoryBytes: number;
  readonly minFreeDiskBytes: number;
  readonly maxSessions: number;
  /** Absent: as many as the limit of open files allows. */
  readonly maxConnections: number | undefined;
  readonly maxRequestsPerSession: number;
  readonly maxRequestsPerKey: number;
  readonly spoolMaxBytes: number;
  readonly spoolSessionMaxBytes: number;
  readonly cacheMaxBytes: number;
  readonly maxBodyBytes: number;
  readonly mediaHosts: readonly string[];
  readonly mediaMaxBytes: number;
  readonly mediaTimeoutMs: number;
  readonly allowedHosts: readonly string[];
  readonly logLevel: string;
  readonly envFile: string | undefined;
  /** What workers, and so their browsers, see of our environment: nothing that could be a secret. */
  readonly workerEnv: Readonly<Record<string, string | undefined>>;
}

/** Settings that cannot be used: one line for each problem, naming the setting and never its value. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const SECOND = 1_000;
const MB = 1_048_576;
const MOST_NAME_LENGTH = 100;

/** Names that are meant for us, also where an underscore or the case went wrong. */
const OURS = /^CHAT_?WEB(_|TOKEN)/i;

const PASSED_ON =
  /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|XDG_\w+|FONTCONFIG_\w+|LD_LIBRARY_PATH|PUPPETEER_CACHE_DIR|CHROME_DEVEL_SANDBOX)$/;

/** Reads the settings from the environment. Throws a ConfigError that names every bad one. */
export function readConfig(env: Environment): Config {
  const problems = unknownNames(env);
  const entries = Object.entries<Setting>(settings).map(([name, setting]) => {
    const isBlank = env[name]?.trim() === '';
    if (isBlank && setting.refusesBlank) problems.push(`${name} is empty: give it a value, or leave it out`);
    const written = env[name]?.trim() || hostDefault(name, env) || setting.fallback;
    if (written === undefined) return [name, undefined];
    const parsed = v.safeParse(setting.schema, written);
    if (!parsed.success) problems.push(...parsed.issues.map((issue) => `${name} ${issue.message}`));
    return [name, parsed.output];
  });
  const values = Object.fromEntries(entries) as Values;
  if (values.CHAT_WEB_MEMORY_HARD_MB <= values.CHAT_WEB_MEMORY_SOFT_MB)
    problems.push('CHAT_WEB_MEMORY_HARD_MB must be more than CHAT_WEB_MEMORY_SOFT_MB');
  if (values.CHAT_WEB_SPOOL_SESSION_MAX_MB > values.CHAT_WEB_SPOOL_MAX_MB)
    problems.push('CHAT_WEB_SPOOL_SESSION_MAX_MB must not be more than CHAT_WEB_SPOOL_MAX_MB');
  if (values.CHAT_WEB_TOKEN !== undefined && values.CHAT_WEB_TOKEN_FILE !== undefined)
    problems.push('CHAT_WEB_TOKEN and CHAT_WEB_TOKEN_FILE exclude each other: set one of them');
  problems.push(...listenProblems(values));
  if (problems.length === 0 && isOpenToOthers(values))
    problems.push(
      'CHAT_WEB_HOST is not a loopback address, and no token is set: whoever reaches it could use every account. Set CHAT_WEB_TOKEN, or CHAT_WEB_ALLOW_NO_TOKEN=true if that is what you want',
    );
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({
    host: values.CHAT_WEB_HOST,
    port: values.CHAT_WEB_PORT,
    socket: socketOf(values),
    tls: certificateOf(values),
    token: values.CHAT_WEB_TOKEN,
    tokenFile: values.CHAT_WEB_TOKEN_FILE,
    tokenGraceMs: values.CHAT_WEB_TOKEN_GRACE_SECONDS * SECOND,
    authFailuresPerMinute: values.CHAT_WEB_AUTH_FAILURES_PER_MINUTE,
    auditFile: values.CHAT_WEB_AUDIT_FILE,
    autoStartSessions: values.CHAT_WEB_AUTO_START_SESSIONS,
    dataDir: values.CHAT_WEB_DATA_DIR,
    browserPath: values.CHAT_WEB_BROWSER_PATH,
    headlessShell: values.CHAT_WEB_HEADLESS_SHELL,
    browserArgs: values.CHAT_WEB_BROWSER_ARGS,
    pageVersion: values.CHAT_WEB_PAGE_VERSION,
    pageDir: values.CHAT_WEB_PAGE_DIR,
    startConcurrency: values.CHAT_WEB_START_CONCURRENCY,
    startTimeoutMs: values.CHAT_WEB_START_TIMEOUT_SECONDS * SECOND,
    syncTimeoutMs: values.CHAT_WEB_SYNC_TIMEOUT_SECONDS * SECOND,
    qrTimeoutMs: values.CHAT_WEB_QR_TIMEOUT_SECONDS * SECOND,
    reconnectTimeoutMs: values.CHAT_WEB_RECONNECT_TIMEOUT_SECONDS * SECOND,
    silenceTimeoutMs: values.CHAT_WEB_SILENCE_TIMEOUT_SECONDS * SECOND,
    takeOverOnConflict: values.CHAT_WEB_TAKE_OVER_ON_CONFLICT,
    memorySoftBytes: values.CHAT_WEB_MEMORY_SOFT_MB * MB,
    memoryHardBytes: values.CHAT_WEB_MEMORY_HARD_MB * MB,
    memorySettleMs: values.CHAT_WEB_MEMORY_SETTLE_SECONDS * SECOND,
    cgroups: values.CHAT_WEB_CGROUPS,
    minFreeMemoryBytes: values.CHAT_WEB_MIN_FREE_MEMORY_MB * MB,
    minFreeDiskBytes: values.CHAT_WEB_MIN_FREE_DISK_MB * MB,
    maxSessions: values.CHAT_WEB_MAX_SESSIONS,
    maxConnections: values.CHAT_WEB_MAX_CONNECTIONS,
    maxRequestsPerSession: values.CHAT_WEB_MAX_REQUESTS_PER_SESSION,
    maxRequestsPerKey: values.CHAT_WEB_MAX_REQUESTS_PER_KEY,
    spoolMaxBytes: values.CHAT_WEB_SPOOL_MAX_MB * MB,
    spoolSessionMaxBytes: values.CHAT_WEB_SPOOL_SESSION_MAX_MB * MB,
    cacheMaxBytes: values.CHAT_WEB_CACHE_MAX_MB * MB,
    maxBodyBytes: values.CHAT_WEB_MAX_BODY_BYTES,
    mediaHosts: values.CHAT_WEB_MEDIA_HOSTS,
    mediaMaxBytes: values.CHAT_WEB_MEDIA_MAX_BYTES,
    mediaTimeoutMs: values.CHAT_WEB_MEDIA_TIMEOUT_SECONDS * SECOND,
    allowedHosts: values.CHAT_WEB_ALLOWED_HOSTS,
    logLevel: values.CHAT_WEB_LOG_LEVEL,
    envFile: values.CHAT_WEB_ENV_FILE,
    workerEnv: Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_ON.test(name))),
  });
}

/** A line for each name that looks like a setting and is none: a mistyped CHAT_WEB_TOKEN would leave the gateway open. */
function unknownNames(env: Environment): string[] {
  const known = Object.keys(settings);
  return Object.keys(env)
    .filter((name) => OURS.test(name) && !known.includes(name))
    .map((name) => {
      const shown = name.slice(0, MOST_NAME_LENGTH);
      return `${shown} is not a setting: did you mean ${closest(shown.toUpperCase(), known)}?`;
    });
}

function isOpenToOthers(values: Values): boolean {
  const { CHAT_WEB_HOST, CHAT_WEB_PORT, CHAT_WEB_TOKEN, CHAT_WEB_TOKEN_FILE, CHAT_WEB_ALLOW_NO_TOKEN } = values;
  const asksForToken = CHAT_WEB_TOKEN !== undefined || CHAT_WEB_TOKEN_FILE !== undefined;
  return !asksForToken && !CHAT_WEB_ALLOW_NO_TOKEN && CHAT_WEB_PORT !== undefined && !isLoopback(CHAT_WEB_HOST);
}

const PRIVATE = 0o600;
const FOR_GROUP = 0o660;

function socketOf({
  CHAT_WEB_SOCKET: path,
  CHAT_WEB_SOCKET_MODE: mode,
  CHAT_WEB_SOCKET_GROUP: group,
}: Values): SocketFile | undefined {
  return path === undefined ? undefined : { path, mode: mode ?? (group === undefined ? PRIVATE : FOR_GROUP), group };
}

function certificateOf({
  CHAT_WEB_TLS_CERT: certFile,
  CHAT_WEB_TLS_KEY: keyFile,
}: Values): CertificateFiles | undefined {
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
}

/** What does not go together, or has no effect. */
function listenProblems(values: Values): string[] {
  const { CHAT_WEB_PORT, CHAT_WEB_SOCKET, CHAT_WEB_TLS_CERT, CHAT_WEB_TLS_KEY } = values;
  const problems: string[] = [];
  if (CHAT_WEB_PORT === undefined && CHAT_WEB_SOCKET === undefined)
    problems.push('CHAT_WEB_PORT must not be off without CHAT_WEB_SOCKET: there would be nothing to connect to');
  if ((CHAT_WEB_TLS_CERT === undefined) !== (CHAT_WEB_TLS_KEY === undefined))
    problems.push('CHAT_WEB_TLS_CERT and CHAT_WEB_TLS_KEY must both be set, or neither');
  else if (CHAT_WEB_PORT === undefined && CHAT_WEB_TLS_CERT !== undefined)
    problems.push('CHAT_WEB_TLS_CERT has no effect while CHAT_WEB_PORT is off: a unix socket speaks no TLS');
  for (const name of ['CHAT_WEB_SOCKET_MODE', 'CHAT_WEB_SOCKET_GROUP'] as const)
    if (CHAT_WEB_SOCKET === undefined && values[name] !== undefined)
      problems.push(`${name} has no effect without CHAT_WEB_SOCKET`);
  return problems;
}

/** Defaults that other programs of the host set under names of their own. */
function hostDefault(name: string, env: Environment): string | undefined {
  if (name === 'CHAT_WEB_DATA_DIR') return env.STATE_DIRECTORY?.split(':')[0];
  if (name === 'CHAT_WEB_BROWSER_PATH') return env.PUPPETEER_EXECUTABLE_PATH;
  return undefined;
}

/** What `--help` prints. */
export function helpText(): string {
  const rows = Object.entries<Setting>(settings).map(
    ([name, { fallback, fallbackIs = fallback, meaning }]) =>
      `  ${name}${fallbackIs ? ` (${fallbackIs})` : ''}\n      ${meaning}`,
  );
  return `Usage: npm start\n\nRuns the gateway. Settings come from the environment; defaults in brackets:\n\n${rows.join('\n')}\n`;
}

/** Where documents of the page are saved. */
export function pagesDirOf({ dataDir, pageDir }: Pick<Config, 'dataDir' | 'pageDir'>): string {
  return pageDir ?? join(dataDir, 'pages');
}

/** The version of this package. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return v.parse(v.object({ version: v.string() }), manifest).version;
}
