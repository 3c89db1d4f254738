import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { errorText } from '@chat-web/protocol';
import { firstLineOf, untilEnded } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { flagsOrUsage, interruption } from './command-line.ts';

/** `npm run example`: the inbox of examples/ on a gateway and the simulator. */

const USAGE = `Usage: npm run example [-- --port 8080]

Starts the simulator, a gateway and examples/inbox.mjs, and prints the addresses of their pages.
  --port    the inbox's port (0 picks a free one)
`;
const INBOX = fileURLToPath(new URL('../../examples/inbox.mjs', import.meta.url));

const { port } = flagsOrUsage({ port: { type: 'string', default: '8080' } }, USAGE);

const { signal } = interruption();

try {
  await run();
} catch (error) {
  if (!signal.aborted) {
    process.exitCode = 1;
    console.error(`The example failed: ${errorText(error)}`);
  }
}
process.exit();

async function run(): Promise<void> {
  const settings = { CHAT_WEB_TOKEN: randomBytes(8).toString('hex'), CHAT_WEB_LOG_LEVEL: 'info' };
  await using stack = await Stack.start({ settings, detached: true, signal });
  const inbox = spawnInbox(stack);
  const ended = Promise.race([
    once(inbox, 'exit').then(() => 'inbox'),
    stack.gateway.exited.then(() => 'gateway'),
    once(signal, 'abort').then(() => undefined),
  ]);
  try {
    const address = await Promise.race([
      firstLineOf(inbox, inbox.stdout as Readable),
      ended.then(failUnlessInterrupted),
    ]);
    if (address === undefined) return;
    console.log(`inbox      ${address.split(' ').at(-1)}   links an account, reads and answers`);
    console.log(`phones     ${stack.simulator.controlUrl}/   scan the QR, write and read on the other side`);
    console.log(`console    ${stack.gateway.url}/console   token ${settings.CHAT_WEB_TOKEN}`);
    console.log('Open the pages in a browser. Ctrl+C stops everything.');
    failUnlessInterrupted(await ended);
  } finally {
    inbox.kill();
    await untilEnded(inbox); // It writes to the folder that is removed next.
  }
}

function failUnlessInterrupted(part: string | undefined): undefined {
  if (part !== undefined) throw new Error(`the ${part} ended unexpectedly`);
}

function spawnInbox({ address: { url, token = '' }, dataDir }: Stack): ChildProcess {
  return spawn(process.execPath, [INBOX], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      GATEWAY_URL: url,
      GATEWAY_TOKEN: token,
      SESSION: 'main',
      INBOX_PORT: port,
      INBOX_FOLDER: join(dataDir, 'inbox'),
    },
    detached: true, // Ctrl+C in the terminal does not reach it: it is stopped in order.
  });
}
