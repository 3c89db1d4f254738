import { parseArgs } from 'node:util';
import { addHost, ConfigError, clusterStatus, initCluster, joinCluster } from '@chat-web/gateway/tools';
import { errorText } from '@chat-web/protocol';
import { calledAs, printLine, UsageError } from './command-line.ts';

/** `chat-web cluster`: prepares the database that the hosts of a cluster share, and adds hosts. */

const CALL = calledAs('cluster');
const USAGE = `${CALL} init                  creates the tables and functions, or brings them up to date
${CALL} add <name>            adds a host, and prints the CHAT_WEB_CLUSTER_URL of its gateway
${CALL} join [--dir <folder>] makes a data folder that of the host of CHAT_WEB_CLUSTER_URL
${CALL} status                lists the hosts

--url <url>      of the database; default: CHAT_WEB_CLUSTER_URL. "init" and "add" need a role that may create schemas
                 and roles. A password may be in PGPASSWORD or in ~/.pgpass instead
--dir <folder>   the data folder; default: CHAT_WEB_DATA_DIR, or ./data
`;
const EX_USAGE = 2;

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
  const [command, name, ...more] = positionals;
  const url = values.url ?? process.env.CHAT_WEB_CLUSTER_URL;
  const takesName = command === 'add';
  if (command === undefined || !['init', 'add', 'join', 'status'].includes(command))
    throw new UsageError('name one of init, add, join and status');
  if (takesName !== (name !== undefined) || more.length > 0)
    throw new UsageError(takesName ? 'add takes the name of one host' : `${command} takes no argument`);
  if (url === undefined) throw new UsageError('set CHAT_WEB_CLUSTER_URL, or give --url');
  if (command === 'init') printLine((await initCluster(url)) > 0 ? 'the database is prepared' : 'nothing to do');
  else if (takesName && name !== undefined) {
    printLine('For the gateway of the host. It is shown only now:');
    printLine(`CHAT_WEB_CLUSTER_URL=${await addHost(url, name)}`);
  } else if (command === 'join') {
    const dir = values.dir ?? process.env.CHAT_WEB_DATA_DIR ?? 'data';
    printLine(`${dir} belongs to host ${await joinCluster(url, dir)} now`);
  } else
    for (const host of await clusterStatus(url)) {
      const heard = host.silentSeconds === undefined ? 'never started' : `heard of ${host.silentSeconds} s ago`;
      printLine(`${host.name.padEnd(40)} ${host.state.padEnd(10)} ${heard}`);
    }
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
