import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closest } from 'fastest-levenshtein';
import * as v from 'valibot';
import { ConfigError } from './config-error.ts';
import { isLoopback } from './host/addresses.ts';
import { type Setting, settings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

type Field = keyof typeof settings;
type Value<F extends Field> = v.InferOutput<(typeof settings)[F]['schema']>;
type Values = {
  readonly [F in Field]: (typeof settings)[F] extends { fallback: string } ? Value<F> : Value<F> | undefined;
};

export interface SocketFile {
  readonly path: string;
  /** Permission bits of the file: write permission allows connecting. */
  readonly mode: number;
  /** The file's group: a name in /etc/group or a number. Undefined: the gateway's group. */
  readonly group: string | undefined;
}

/** Paths of the PEM files: the certificate with its intermediates, and its key. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** The settings as the gateway uses them: read once, frozen, passed as an argument. */
export interface Config extends Values {
  readonly socket: SocketFile | undefined;
  readonly tls: CertificateFiles | undefined;
  /** The environment of workers and their browsers: nothing that could be a secret. */
  readonly workerEnv: Readonly<Record<string, string | undefined>>;
}

const MAX_NAME_LENGTH = 100;

/** Names meant for us, including those with a wrong underscore or case. */
const OURS = /^CHAT_?WEB(_|TOKEN)/i;

const PASSED_ON =
  /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|XDG_\w+|FONTCONFIG_\w+|LD_LIBRARY_PATH|PUPPETEER_CACHE_DIR|CHROME_DEVEL_SANDBOX)$/;

const OF_THE_DISPLAY = /^(DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS)$/;

/** Reads the settings from the environment. Throws a ConfigError that names every invalid one. */
export function readConfig(env: Environment): Config {
  const problems = unknownNames(env);
  const entries = Object.entries<Setting>(settings).map(([field, setting]) => {
    const { name, schema, fallback, refusesBlank } = setting;
    const isBlank = env[name]?.trim() === '';
    if (isBlank && refusesBlank) problems.push(`${name} is empty: set a value or remove it`);
    const written = env[name]?.trim() || hostDefault(name, env) || fallback;
    if (written === undefined) return [field, undefined];
    const parsed = v.safeParse(schema, written);
    if (!parsed.success) problems.push(...parsed.issues.map((issue) => `${name} ${issue.message}`));
    return [field, parsed.output];
  });
  const values = Object.fromEntries(entries) as Values;
  if (values.memoryHardBytes <= values.memorySoftBytes)
    problems.push('CHAT_WEB_MEMORY_HARD_MB must be more than CHAT_WEB_MEMORY_SOFT_MB');
  if (values.spoolSessionMaxBytes > values.spoolMaxBytes)
    problems.push('CHAT_WEB_SPOOL_SESSION_MAX_MB must not be more than CHAT_WEB_SPOOL_MAX_MB');
  if (values.token !== undefined && values.tokenFile !== undefined)
    problems.push('CHAT_WEB_TOKEN and CHAT_WEB_TOKEN_FILE are mutually exclusive: set only one of them');
  if (values.clusterUrls !== undefined && values.clusterUrlFile !== undefined)
    problems.push('CHAT_WEB_CLUSTER_URL and CHAT_WEB_CLUSTER_URL_FILE are mutually exclusive: set only one of them');
  if (isInCluster(values) && values.token === undefined && values.tokenFile === undefined)
    problems.push(
      'CHAT_WEB_CLUSTER_URL requires CHAT_WEB_TOKEN, the same on each host: the gateways forward requests to each other',
    );
  if (isInCluster(values) && values.clusterAddress === undefined && !hasOneAddress(values))
    problems.push(
      'CHAT_WEB_CLUSTER_ADDRESS must be set, to the URL at which the other hosts reach this one: CHAT_WEB_HOST does not say it',
    );
  if (isInCluster(values) && values.takeOverOnConflict)
    problems.push('CHAT_WEB_TAKE_OVER_ON_CONFLICT must not be set in a cluster: two hosts could fight for an account');
  if (values.browserWindow && values.headlessShell)
    problems.push('CHAT_WEB_BROWSER_WINDOW and CHAT_WEB_HEADLESS_SHELL must not both be set: the shell has no window');
  problems.push(...listenProblems(values));
  if (problems.length === 0 && isOpenToOthers(values))
    problems.push(
      'CHAT_WEB_HOST is not a loopback address and no token is set: anyone who can reach it could use every account. Create a token with "chat-web token" (in a checkout "npm run token", for the image "docker run --rm IMAGE token"), and set CHAT_WEB_TOKEN; or set CHAT_WEB_ALLOW_NO_TOKEN=true if that is intended',
    );
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({
    ...values,
    socket: socketOf(values),
    tls: certificateOf(values),
    workerEnv: Object.fromEntries(Object.entries(env).filter(([name]) => isPassedOn(name, values))),
  });
}

/** Whether a gateway with these settings is a host of a cluster. */
export function isInCluster({ clusterUrls, clusterUrlFile }: Pick<Config, 'clusterUrls' | 'clusterUrlFile'>): boolean {
  return clusterUrls !== undefined || clusterUrlFile !== undefined;
}

function isPassedOn(name: string, { browserWindow }: Values): boolean {
  return PASSED_ON.test(name) || (browserWindow && OF_THE_DISPLAY.test(name));
}

/** One line per unknown name that looks like a setting: a mistyped CHAT_WEB_TOKEN would leave the gateway open. */
function unknownNames(env: Environment): string[] {
  const known: string[] = Object.values(settings).map(({ name }) => name);
  return Object.keys(env)
    .filter((name) => OURS.test(name) && !known.includes(name))
    .map((name) => {
      const shown = name.slice(0, MAX_NAME_LENGTH);
      return `${shown} is not a setting: did you mean ${closest(shown.toUpperCase(), known)}?`;
    });
}

function isOpenToOthers({ host, port, token, tokenFile, allowNoToken }: Values): boolean {
  const asksForToken = token !== undefined || tokenFile !== undefined;
  return !asksForToken && !allowNoToken && port !== undefined && !isLoopback(host);
}

/** False if it listens at all addresses, or only on a socket. */
function hasOneAddress({ host, port }: Values): boolean {
  return port !== undefined && host !== '0.0.0.0' && host !== '::';
}

const PRIVATE = 0o600;
const FOR_GROUP = 0o660;

function socketOf({ socketPath: path, socketMode: mode, socketGroup: group }: Values): SocketFile | undefined {
  return path === undefined ? undefined : { path, mode: mode ?? (group === undefined ? PRIVATE : FOR_GROUP), group };
}

function certificateOf({ tlsCertFile: certFile, tlsKeyFile: keyFile }: Values): CertificateFiles | undefined {
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
}

function listenProblems(values: Values): string[] {
  const { port, socketPath, tlsCertFile, tlsKeyFile } = values;
  const problems: string[] = [];
  if (port === undefined && socketPath === undefined)
    problems.push('CHAT_WEB_PORT must not be off without CHAT_WEB_SOCKET: there would be nothing to connect to');
  if ((tlsCertFile === undefined) !== (tlsKeyFile === undefined))
    problems.push('CHAT_WEB_TLS_CERT and CHAT_WEB_TLS_KEY must both be set, or neither');
  else if (port === undefined && tlsCertFile !== undefined)
    problems.push('CHAT_WEB_TLS_CERT has no effect while CHAT_WEB_PORT is off: the unix socket does not use TLS');
  for (const field of ['socketMode', 'socketGroup'] as const)
    if (socketPath === undefined && values[field] !== undefined)
      problems.push(`${settings[field].name} has no effect without CHAT_WEB_SOCKET`);
  return problems;
}

/** Defaults from variables that other programs on the host set. */
function hostDefault(name: string, env: Environment): string | undefined {
  if (name === 'CHAT_WEB_DATA_DIR') return env.STATE_DIRECTORY?.split(':')[0];
  if (name === 'CHAT_WEB_BROWSER_PATH') return env.PUPPETEER_EXECUTABLE_PATH;
  return undefined;
}

export function helpText(): string {
  const rows = Object.values<Setting>(settings).map(
    ({ name, fallback, fallbackIs = fallback, meaning }) =>
      `  ${name}${fallbackIs ? ` (${fallbackIs})` : ''}\n      ${meaning}`,
  );
  return `Runs the gateway. Settings come from the environment; defaults in brackets:\n\n${rows.join('\n')}\n`;
}

export function pagesDirOf({ dataDir, pageDir }: Pick<Config, 'dataDir' | 'pageDir'>): string {
  return pageDir ?? join(dataDir, 'pages');
}

let knownVersion: string | undefined;

/** Of the program that runs, even after an update has replaced its files. */
export function version(): string {
  knownVersion ??= readVersion();
  return knownVersion;
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL(import.meta.resolve('#package.json')), 'utf8'));
  return v.parse(v.object({ version: v.string() }), manifest).version;
}
