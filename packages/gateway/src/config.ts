import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import * as v from 'valibot';

type Environment = Readonly<Record<string, string | undefined>>;

/** One setting: how its text is read, what holds without it, and what it is for. */
interface Setting {
  readonly schema: v.GenericSchema<string, unknown>;
  /** The text that stands for an absent setting. Absent: the setting stays undefined. */
  readonly fallback?: string;
  readonly meaning: string;
}

const text = v.string();
const wholeNumber = (lowest: number, highest: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d{1,15}$/, 'must be a whole number'),
    v.transform(Number),
    v.minValue(lowest, `must be at least ${lowest}`),
    v.maxValue(highest, `must be at most ${highest}`),
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

/** Every setting of the gateway, by the name of its environment variable. */
export const settings = {
  CHAT_WEB_HOST: { schema: text, fallback: '127.0.0.1', meaning: 'listen address' },
  CHAT_WEB_PORT: {
    schema: wholeNumber(0, 65_535),
    fallback: '3000',
    meaning: 'listen port; 0 picks a free one, and the log names it',
  },
  CHAT_WEB_TOKEN: {
    schema: v.pipe(v.string(), v.regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')),
    meaning: 'bearer token that every route but GET /health asks for; without it none is asked for',
  },
  CHAT_WEB_AUTO_START_SESSIONS: { schema: yesOrNo, fallback: 'true', meaning: 'start saved sessions at boot' },
  CHAT_WEB_DATA_DIR: {
    schema: v.pipe(
      v.string(),
      v.transform((path) => resolve(path)),
    ),
    fallback: './data',
    meaning: "all that the gateway keeps; systemd's STATE_DIRECTORY comes before the default",
  },
  CHAT_WEB_BROWSER_PATH: {
    schema: text,
    meaning:
      "the browser's executable; else PUPPETEER_EXECUTABLE_PATH, puppeteer's own download, or a Chromium or Chrome on the PATH",
  },
  CHAT_WEB_BROWSER_ARGS: {
    schema: jsonStrings,
    fallback: '[]',
    meaning: 'further browser arguments: a JSON array of strings, passed as they are',
  },
  CHAT_WEB_START_CONCURRENCY: {
    schema: wholeNumber(1, 64),
    fallback: '2',
    meaning: 'browsers that may be booting at one moment',
  },
  CHAT_WEB_START_TIMEOUT_SECONDS: {
    schema: wholeNumber(5, 3_600),
    fallback: '90',
    meaning: 'a session that has reached neither qr nor ready by then counts as a failed start',
  },
  CHAT_WEB_MAX_BODY_BYTES: {
    schema: wholeNumber(1_024, 1_073_741_824),
    fallback: '104857600',
    meaning: 'largest request body',
  },
  CHAT_WEB_MEDIA_HOSTS: {
    schema: hosts,
    fallback: '',
    meaning:
      'hosts (or host:port, or CIDR ranges) that a media url may name although they are not on the public internet; comma between them',
  },
  CHAT_WEB_MEDIA_MAX_BYTES: {
    schema: wholeNumber(1_024, 1_073_741_824),
    fallback: '67108864',
    meaning: 'largest file that a media url may bring',
  },
  CHAT_WEB_MEDIA_TIMEOUT_SECONDS: {
    schema: wholeNumber(1, 40),
    fallback: '30',
    meaning: 'how long fetching a media url may take',
  },
  CHAT_WEB_ALLOWED_HOSTS: {
    schema: list,
    fallback: '',
    meaning: 'further names that the Host header may bear when no token is set; comma between them',
  },
  CHAT_WEB_LOG_LEVEL: {
    schema: v.picklist(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'must be fatal, error, warn, info, debug, trace or silent',
    ),
    fallback: 'info',
    meaning: 'how much is logged',
  },
} as const satisfies Record<string, Setting>;

type SettingName = keyof typeof settings;
type Value<N extends SettingName> = v.InferOutput<(typeof settings)[N]['schema']>;
type Values = {
  readonly [N in SettingName]: (typeof settings)[N] extends { fallback: string } ? Value<N> : Value<N> | undefined;
};

/** The settings as the gateway uses them: read once, frozen, and passed as an argument from there. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
  readonly autoStartSessions: boolean;
  readonly dataDir: string;
  readonly browserPath: string | undefined;
  readonly browserArgs: readonly string[];
  readonly startConcurrency: number;
  readonly startTimeoutMs: number;
  readonly maxBodyBytes: number;
  readonly mediaHosts: readonly string[];
  readonly mediaMaxBytes: number;
  readonly mediaTimeoutMs: number;
  readonly allowedHosts: readonly string[];
  readonly logLevel: string;
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

const PASSED_ON =
  /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|XDG_\w+|FONTCONFIG_\w+|LD_LIBRARY_PATH|PUPPETEER_CACHE_DIR|CHROME_DEVEL_SANDBOX)$/;

/** Reads the settings from the environment. Throws a ConfigError that names every bad one. */
export function readConfig(env: Environment): Config {
  const problems: string[] = [];
  const entries = Object.entries<Setting>(settings).map(([name, setting]) => {
    const written = env[name]?.trim() || hostDefault(name, env) || setting.fallback;
    if (written === undefined) return [name, undefined];
    const parsed = v.safeParse(setting.schema, written);
    if (!parsed.success) problems.push(...parsed.issues.map((issue) => `${name} ${issue.message}`));
    return [name, parsed.output];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  const values = Object.fromEntries(entries) as Values;
  return Object.freeze({
    host: values.CHAT_WEB_HOST,
    port: values.CHAT_WEB_PORT,
    token: values.CHAT_WEB_TOKEN,
    autoStartSessions: values.CHAT_WEB_AUTO_START_SESSIONS,
    dataDir: values.CHAT_WEB_DATA_DIR,
    browserPath: values.CHAT_WEB_BROWSER_PATH,
    browserArgs: values.CHAT_WEB_BROWSER_ARGS,
    startConcurrency: values.CHAT_WEB_START_CONCURRENCY,
    startTimeoutMs: values.CHAT_WEB_START_TIMEOUT_SECONDS * 1_000,
    maxBodyBytes: values.CHAT_WEB_MAX_BODY_BYTES,
    mediaHosts: values.CHAT_WEB_MEDIA_HOSTS,
    mediaMaxBytes: values.CHAT_WEB_MEDIA_MAX_BYTES,
    mediaTimeoutMs: values.CHAT_WEB_MEDIA_TIMEOUT_SECONDS * 1_000,
    allowedHosts: values.CHAT_WEB_ALLOWED_HOSTS,
    logLevel: values.CHAT_WEB_LOG_LEVEL,
    workerEnv: Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_ON.test(name))),
  });
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
    ([name, { fallback, meaning }]) => `  ${name}${fallback ? ` (${fallback})` : ''}\n      ${meaning}`,
  );
  return `Usage: npm start\n\nRuns the gateway. Settings come from the environment; defaults in brackets:\n\n${rows.join('\n')}\n`;
}

/** The version of this package. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return v.parse(v.object({ version: v.string() }), manifest).version;
}
