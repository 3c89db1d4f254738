import { parseArgs } from 'node:util';
import { allowsEveryPort } from '@chat-web/outbound';
import { errorText } from '@chat-web/protocol';
import { Audit } from './access/audit.ts';
import { type Config, helpText, readConfig, version } from './config.ts';
import { ConfigError } from './config-error.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { isLoopback } from './host/addresses.ts';
import { DataDirInUseError } from './host/data-lock.ts';
import { SocketInUseError } from './http/server/socket-file.ts';
import { createLog, type LevelledLog, type Log, reloadLogLevel } from './log.ts';
import { extendStart, ServiceNotifier, serviceManagerOf } from './service-notifier.ts';
import { settings } from './settings.ts';

/** From sysexits.h: the configuration is invalid, so a restart does not help. */
const EX_CONFIG = 78;
const EX_USAGE = 64;
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

// Whatever this process and its workers create is for their user only. Of unix sockets, the mode is set.
process.umask(0o077);

const { help, version: showVersion } = flags();
if (help) process.stdout.write(helpText());
else if (showVersion) process.stdout.write(`${version()}\n`);
else await run(config());

function flags() {
  try {
    return parseArgs({ options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } }).values;
  } catch (error) {
    process.stderr.write(`${errorText(error)}\nThe gateway is configured by environment variables; see --help.\n`);
    process.exit(EX_USAGE);
  }
}

function config(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) process.stderr.write(`${problem}\n`);
    process.exit(EX_CONFIG);
  }
}

async function run(config: Config): Promise<void> {
  const levelled = createLog(config.logLevel);
  const { log } = levelled;
  // First, since an unhandled signal kills the process. On a terminal, SIGHUP means that it was closed.
  let reloads = reloadsOf(config, levelled);
  if (!process.stdout.isTTY) process.on('SIGHUP', () => void reload(reloads, log));
  // By default, Node would open a debugger on loopback, for every user of the machine.
  process.on('SIGUSR1', () => log.warn({ hint: 'this process cannot be inspected' }, 'SIGUSR1 ignored'));
  const manager = serviceManagerOf(process.env, process.pid);
  const audit = new Audit(config.auditFile, levelled.destination, log);
  const onWaiting = () => extendStart(manager, 'waiting for the data folder');
  const gateway = await startGateway(config, log, audit, { onWaiting }).catch((error: unknown) => {
    process.stderr.write(`${startProblem(error, config)}\n`);
    process.exit(error instanceof ConfigError ? EX_CONFIG : 1);
  });
  reloads = [...reloads, ...gateway.reloads];
  const { url, asksForToken } = gateway;
  const { dataDir, socket } = config;
  log.info({ url, socket: socket?.path, dataDir, auth: asksForToken }, 'gateway listening');
  if (!asksForToken && config.port !== undefined && !isLoopback(config.host)) {
    const hint = 'anyone who can reach it can use every account: set CHAT_WEB_TOKEN';
    log.warn({ hint }, 'gateway open to the network without a token');
  }
  for (const field of ['mediaHosts', 'proxyHosts', 'webhookHosts'] as const)
    for (const host of config[field].filter(allowsEveryPort)) {
      const hint = 'keys can reach each service there: write host:port';
      log.warn({ setting: settings[field].name, host, hint }, 'every port of a host allowed');
    }
  // Not by an exit: that waits for threads, which may wait for a disk that does not answer.
  void gateway.displaced.then(() => process.kill(process.pid, 'SIGKILL'));
  const notifier = new ServiceNotifier(manager, gateway, log);
  notifier.start();
  for (const signal of STOP_SIGNALS) process.once(signal, () => void stop(signal, { gateway, notifier, log }));
}

/** What SIGHUP reloads before the gateway is up. */
function reloadsOf({ envFile }: Config, log: LevelledLog): Gateway['reloads'] {
  return envFile === undefined ? [] : [() => reloadLogLevel(envFile, log)];
}

async function reload(reloads: Gateway['reloads'], log: Log): Promise<void> {
  if (reloads.length === 0)
    log.warn(
      { hint: 'none of CHAT_WEB_ENV_FILE, CHAT_WEB_TOKEN_FILE, CHAT_WEB_AUDIT_FILE and CHAT_WEB_TLS_CERT is set' },
      'nothing to reload',
    );
  await Promise.all(reloads.map((again) => again()));
}

interface Running {
  readonly gateway: Gateway;
  readonly notifier: ServiceNotifier;
  readonly log: Log;
}

/** The first signal waits for requests in progress, the second does not, the third exits at once. */
async function stop(signal: string, { gateway, notifier, log }: Running): Promise<void> {
  log.info({ signal }, 'gateway stopping');
  const skipWaiting = new AbortController();
  for (const again of STOP_SIGNALS) {
    process.removeAllListeners(again);
    process.on(again, () => {
      if (skipWaiting.signal.aborted) process.exit(1); // Workers exit with this process.
      log.info({ signal: again }, 'shutdown wait skipped');
      skipWaiting.abort();
    });
  }
  notifier.stop();
  await gateway.close(skipWaiting.signal);
  log.info('gateway stopped');
  process.exit(0);
}

function startProblem(error: unknown, { host, port, dataDir }: Config): string {
  if (error instanceof DataDirInUseError || error instanceof SocketInUseError || error instanceof ConfigError)
    return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return `${host}:${port} is in use: set CHAT_WEB_PORT to another port, or stop the process that listens there`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is not an address of this machine: check CHAT_WEB_HOST`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR' || code === 'EEXIST') {
    return `${errorText(error)}: check CHAT_WEB_DATA_DIR (${dataDir}) and CHAT_WEB_PORT (${port})`;
  }
  return `the gateway could not start: ${errorText(error)}`;
}
