#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { type Build, builds, newestBuild } from './builds.ts';
import { type Simulator, startSimulator } from './simulator.ts';

const usage = `usage: simulator [--port <port>] [--control-port <port>] [--build <build>]

Simulates web.whatsapp.com and its phones on 127.0.0.1. Without a port, or with 0, it uses a free one.
A build of the page is one of ${builds.join(', ')}; default: ${newestBuild}.`;

interface Arguments {
  readonly port: number;
  readonly controlPort: number;
  readonly build: Build;
}

/** Undefined if only help was requested; throws an error with a full sentence. */
function readArguments(args: readonly string[]): Arguments | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string' },
      'control-port': { type: 'string' },
      build: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return undefined;
  return {
    port: readPort('--port', values.port),
    controlPort: readPort('--control-port', values['control-port']),
    build: readBuild(values.build),
  };
}

function readBuild(value: string = newestBuild): Build {
  const build = builds.find((each) => each === value);
  if (!build) throw new Error(`--build must be one of ${builds.join(', ')}`);
  return build;
}

function readPort(flag: string, value = '0'): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) throw new Error(`${flag} must be a port from 0 to 65535`);
  return Number(value);
}

async function describe({ port, controlUrl, browserArgs, phones }: Simulator): Promise<string> {
  const people = (await phones.accounts()).map(({ number, name, addressing }) => {
    return `  ${number}  ${name}${addressing === 'lid' ? ' (chats by hidden number, @lid)' : ''}`;
  });
  const { build, pageVersion } = await phones.settings();
  return `web.whatsapp.com  https://127.0.0.1:${port}, build ${build} (${pageVersion})
phones            ${controlUrl} (open it in a browser)

${people.join('\n')}

CHAT_WEB_BROWSER_ARGS='${JSON.stringify(browserArgs)}'
`;
}

function fail(code: number, message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}

async function start(options: Arguments): Promise<void> {
  const starting = startSimulator(options);
  // Installed first, and for every signal: a second Ctrl+C must not interrupt the shutdown.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, async () => {
      await (await starting).close();
      process.exit(0);
    });
  }
  process.stdout.write(await describe(await starting));
}

let options: Arguments | undefined;
try {
  options = readArguments(process.argv.slice(2));
} catch (error) {
  fail(2, `${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
}
if (options) {
  await start(options).catch((error: NodeJS.ErrnoException & { port?: number }) => {
    if (error.code === 'EADDRINUSE') fail(1, `port ${error.port} is in use; choose another one`);
    fail(1, `the simulator could not start: ${error.message}`);
  });
} else {
  process.stdout.write(`${usage}\n`);
}
