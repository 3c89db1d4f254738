import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createClient, type GatewayAddress } from '@chat-web/host';
import { type SimulatorClient, startSimulator } from '@chat-web/simulator';
import { spawnGateway } from './gateway-process.ts';
import { interruption } from './interruption.ts';

/** `npm run example`: the inbox of examples/ on a gateway and the simulator, with the phones played in the terminal. */

const USAGE = `Usage: npm run example [-- --port 8080]

Starts the simulator, a gateway and the inbox of examples/inbox, and lets you play the phones by typing.
  --port    the inbox's port (0 picks a free one)
`;
const INBOX = fileURLToPath(new URL('../../examples/inbox/dist/main.js', import.meta.url));
const SESSION = 'main';
const OWN_NUMBER = '12025550101';
const FRIEND = '12025550102';
const LOOK_EVERY_MS = 500;

const { port, help } = flags();
if (help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const over = interruption();
const folder = mkdtempSync(join(tmpdir(), 'chat-web-example-'));
try {
  await run();
} catch (error) {
  if (!over.signal.aborted) {
    process.exitCode = 1;
    console.error(`The example failed: ${error instanceof Error ? error.message : String(error)}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
process.exit();

/** Runs everything until it is interrupted; rejects if a part exits by itself. */
async function run(): Promise<void> {
  const simulator = await startSimulator();
  try {
    const token = randomBytes(8).toString('hex');
    const settings = {
      ...{ CHAT_WEB_PORT: '0', CHAT_WEB_TOKEN: token, CHAT_WEB_DATA_DIR: folder },
      CHAT_WEB_BROWSER_ARGS: JSON.stringify(simulator.browserArgs),
    };
    const gateway = await spawnGateway(settings, { detached: true, signal: over.signal });
    const inbox = spawnInbox({ url: gateway.url, token });
    const inboxEnded = once(inbox, 'exit');
    try {
      console.log(`gateway    ${gateway.url}   token ${token}`);
      console.log(`phones     ${simulator.controlUrl}/   a page, or the control API of the simulator`);
      console.log(`inbox      ${await Promise.race([addressOf(inbox), inboxEnded.then(() => ended('inbox'))])}\n`);
      console.log('Open the inbox in a browser, and press its button. Play the phones here, line by line:');
      console.log('  scan        the phone of the account scans the QR');
      console.log('  any text    Ben writes it to the account; his phone shows what the inbox answers');
      console.log('Ctrl+C stops everything.\n');
      await Promise.race([
        play(simulator.phones, { url: gateway.url, token }),
        gateway.exited.then(() => ended('gateway')),
        inboxEnded.then(() => ended('inbox')),
      ]);
    } finally {
      inbox.kill();
      await inboxEnded;
      await gateway.end();
    }
  } finally {
    await simulator.close();
  }
}

function ended(part: string): never {
  throw new Error(`the ${part} ended unexpectedly`);
}

function spawnInbox({ url, token = '' }: GatewayAddress): ChildProcess {
  return spawn(process.execPath, [INBOX], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...{ GATEWAY_URL: url, GATEWAY_TOKEN: token, SESSION },
      // No account is at risk here: pictures are shown at once.
      ...{ INBOX_PORT: port, INBOX_FILE: join(folder, 'inbox.jsonl'), INBOX_PICTURES_AFTER_MINUTES: '0' },
    },
    detached: true, // Ctrl+C in the terminal does not reach it: it is stopped in order.
  });
}

async function addressOf(inbox: ChildProcess): Promise<string> {
  if (!inbox.stdout) throw new Error('the inbox has no output');
  const [line] = (await once(createInterface({ input: inbox.stdout }), 'line')) as [string];
  return line.split(' ').at(-1) ?? '';
}

/** Plays the phones until the example is interrupted. */
async function play(phones: SimulatorClient, gateway: GatewayAddress): Promise<void> {
  await phones.profile(FRIEND, { picture: 'present' });
  createInterface({ input: process.stdin }).on('line', (line) => {
    command(phones, gateway, line.trim()).catch((error: Error) => console.log(`  ${error.message}`));
  });
  const shown = new Set<string>();
  while (!over.signal.aborted) {
    for (const { id, from, body, type } of await phones.messages(FRIEND)) {
      if (from === `${OWN_NUMBER}@c.us` && !shown.has(id)) console.log(`  on Ben's phone: ${body || `(${type})`}`);
      shown.add(id);
    }
    await delay(LOOK_EVERY_MS, undefined, { signal: over.signal });
  }
}

async function command(phones: SimulatorClient, gateway: GatewayAddress, line: string): Promise<void> {
  if (line === '') return;
  if (line !== 'scan') return void (await phones.send(FRIEND, { to: OWN_NUMBER, body: line }));
  const { qr } = await createClient(gateway).getQr({ id: SESSION });
  await phones.scan(OWN_NUMBER, qr);
}

function flags() {
  try {
    const options = {
      port: { type: 'string', default: '8080' },
      help: { type: 'boolean', short: 'h', default: false },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exit(64);
  }
}
