import { parseArgs } from 'node:util';
import { errorText } from '@chat-web/protocol';
import { type Config, ConfigError, helpText, readConfig, version } from './config.ts';
import { DataDirInUseError } from './data-lock.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { createLog } from './log.ts';

/** sysexits.h: the configuration is at fault, and a restart will not help. */
const EX_CONFIG = 78;
const EX_USAGE = 64;

const { help, version: showVersion } = flags();
if (help) process.stdout.write(helpText());
else if (showVersion) process.stdout.write(`${version()}\n`);
else await run(config());

function flags() {
  try {
    return parseArgs({ options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } }).values;
  } catch (error) {
    process.stderr.write(`${errorText(error)}\nThe gateway is set up by its environment; see --help.\n`);
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
  const log = createLog(config.logLevel);
  const gateway = await startGateway(config, log).catch((error: unknown) => {
    process.stderr.write(`${startProblem(error, config)}\n`);
    process.exit(1);
  });
  log.info({ url: gateway.url, dataDir: config.dataDir, auth: Boolean(config.token) }, 'gateway listens');
  if (!config.token && !/^(127\.|::1$|localhost$)/.test(config.host)) {
    log.warn('the gateway is open to the network without CHAT_WEB_TOKEN: whoever reaches it can use every account');
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(gateway, signal));

  async function stop(gateway: Gateway, signal: string): Promise<void> {
    log.info({ signal }, 'stopping');
    // A second signal hurries: the workers end with this process.
    for (const again of ['SIGTERM', 'SIGINT'] as const) process.on(again, () => process.exit(1));
    await gateway.close();
    log.info('stopped');
    process.exit(0);
  }
}

function startProblem(error: unknown, { host, port, dataDir }: Config): string {
  if (error instanceof DataDirInUseError) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return `${host}:${port} is in use: set CHAT_WEB_PORT to another port, or end what listens there`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is no address of this machine: check CHAT_WEB_HOST`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR') {
    return `${errorText(error)}: check CHAT_WEB_DATA_DIR (${dataDir}) and CHAT_WEB_PORT (${port})`;
  }
  return `the gateway could not start: ${errorText(error)}`;
}
