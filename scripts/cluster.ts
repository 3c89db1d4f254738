import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  addHost,
  adoptFolder,
  ConfigError,
  clusterStatus,
  confirmHostOff,
  initCluster,
  joinCluster,
  removeHost,
} from '@chat-web/gateway/tools';
import { errorText } from '@chat-web/protocol';
import { calledAs, printLine, UsageError } from './command-line.ts';

/** `chat-web cluster`: prepares the database that the hosts of a cluster share, and adds hosts. */

const CALL = calledAs('cluster');
const USAGE = `${CALL} status           lists the hosts
${CALL} init             creates the tables and functions, or brings them up to date
${CALL} add <name>       adds a host, and prints the CHAT_WEB_CLUSTER_URL of its gateway
${CALL} join             makes a data folder that of the host of CHAT_WEB_CLUSTER_URL
${CALL} off <name>       confirms that the machine of a host is off: another one may continue with its disk
${CALL} adopt <name>     says that a data folder is what the last gateway of the host has left; never for a copy
${CALL} remove <name>    removes a host whose disk is gone, with its sessions

--url <urls>     of the database and its standbys, comma-separated; default: CHAT_WEB_CLUSTER_URL, or the file of
                 CHAT_WEB_CLUSTER_URL_FILE. "init", "add", "adopt" and "remove" need a role that may create schemas
                 and roles. A password may be in PGPASSWORD or in ~/.pgpass instead
--dir <folder>   the data folder; default: CHAT_WEB_DATA_DIR, or ./data
`;
const EX_USAGE = 2;

interface Context {
  readonly url: string;
  readonly name: string;
  readonly dir: string;
}

const COMMANDS: Readonly<Record<string, { readonly takesName: boolean; run(context: Context): Promise<void> }>> = {
  status: { takesName: false, run: status },
  init: {
    takesName: false,
    run: async ({ url }) => printLine((await initCluster(url)) > 0 ? 'the database is prepared' : 'nothing to do'),
  },
  add: {
    takesName: true,
    run: async ({ url, name }) => {
      const own = await addHost(url, name);
      printLine('For the gateway of the host. It is shown only now:');
      printLine(`CHAT_WEB_CLUSTER_URL=${own}`);
    },
  },
  join: {
    takesName: false,
    run: async ({ url, dir }) => printLine(`${dir} belongs to host ${await joinCluster(url, dir)} now`),
  },
  off: {
    takesName: true,
    run: async ({ url, name }) => {
      if (await confirmHostOff(url, name)) printLine(`another machine may continue with the disk of host ${name}`);
      else throw new ConfigError([`the last beat of host ${name} is less than 30 s ago: it is not off`]);
    },
  },
  adopt: {
    takesName: true,
    run: async ({ url, name, dir }) => {
      await adoptFolder(url, name, dir);
      printLine(`host ${name} continues with ${dir}`);
    },
  },
  remove: {
    takesName: true,
    run: async ({ url, name }) => {
      await removeHost(url, name);
      printLine(`host ${name} is removed`);
    },
  },
};

try {
  await run();
} catch (error) {
  const isUsage = error instanceof UsageError;
  printLine(error instanceof ConfigError ? error.problems.join('; ') : errorText(error), process.stderr);
  if (isUsage) process.stderr.write(`\n${USAGE}`);
  process.exitCode = isUsage ? EX_USAGE : 1;
}

async function run(): Promise<void> {
  const { values, positionals } = readArguments();
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const [command = '', name, ...more] = positionals;
  const found = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (!found) throw new UsageError(`name one of ${Object.keys(COMMANDS).join(', ')}`);
  if (found.takesName !== (name !== undefined) || more.length > 0)
    throw new UsageError(found.takesName ? `${command} takes the name of one host` : `${command} takes no argument`);
  const url = values.url ?? process.env.CHAT_WEB_CLUSTER_URL ?? writtenUrls();
  if (!url) throw new UsageError('set CHAT_WEB_CLUSTER_URL, or give --url');
  await found.run({ url, name: name ?? '', dir: values.dir ?? process.env.CHAT_WEB_DATA_DIR ?? 'data' });
}

async function status({ url }: Context): Promise<void> {
  const { hosts } = await clusterStatus(url);
  for (const { name, state, silentSeconds } of hosts) {
    const heard = silentSeconds === undefined ? 'never started' : `last beat ${silentSeconds} s ago`;
    printLine(`${name.padEnd(40)} ${state.padEnd(10)} ${heard}`);
  }
}

function writtenUrls(): string | undefined {
  const path = process.env.CHAT_WEB_CLUSTER_URL_FILE;
  return path === undefined ? undefined : readFileSync(path, 'utf8').split('\n')[0];
}

function readArguments() {
  try {
    const string = { type: 'string' } as const;
    const options = { url: string, dir: string, help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(errorText(error));
  }
}
