import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type GatewayAddress, sendText } from '@chat-web/host';
import { errorText, type SessionEvent, unlessAborted, withDeadline } from '@chat-web/protocol';
import { ADA, BEN, eventually, postgresPrograms } from '@chat-web/testing';
import { EventLog, Hosts, prepareExamples, readQr, Stack, stanzaOf } from '@chat-web/testing/stack';
import { toString as qrToString } from 'qrcode';
import { flagsOrUsage, interruption, printLine } from './command-line.ts';

/** `npm run demo`: links an account and exchanges two messages on the simulator, then keeps running. */

const USAGE = `Usage: npm run demo [-- --once] [-- --port 3000] [-- --hosts 3]

Starts the simulator and a gateway, prints the addresses of their pages, links an account by QR, sends a text and
receives a reply.
  --once    exit after that: code 0 if every step passed, otherwise 1 and the step's name
  --port    the gateway's port (CHAT_WEB_PORT, else 3000; 0 picks a free one)
  --hosts   instead: so many hosts on this machine, and a PostgreSQL server of their own; moves the session from one to
            another, and kills a host (2 to 5)
`;

const {
  once: isOnce,
  port,
  hosts: hostCount,
} = flagsOrUsage(
  {
    once: { type: 'boolean', default: false },
    port: { type: 'string', default: process.env.CHAT_WEB_PORT ?? '3000' },
    hosts: { type: 'string', default: '1' },
  },
  USAGE,
);

const SESSION = 'main';
const STEP_TIMEOUT_MS = 40_000;
const BEFORE_SCAN_MS = 1_500;

const { signal } = interruption();

try {
  await (hostCount === '1' ? run() : runHosts(Number(hostCount)));
} catch (error) {
  process.exitCode = 1;
  if (!signal.aborted) console.error(`\nThe demo failed: ${errorText(error)}`);
}
process.exit();

/** Runs every step, and keeps running unless `once` is set. Rejects with the name of the step that failed. */
async function run(): Promise<void> {
  const settings = {
    CHAT_WEB_PORT: port,
    CHAT_WEB_TOKEN: randomBytes(8).toString('hex'),
    CHAT_WEB_LOG_LEVEL: 'info',
    CHAT_WEB_WEBHOOK_HOSTS: 'localhost,127.0.0.1',
  };
  await using stack = await Stack.start({ settings, detached: true, signal });
  console.log('Open both pages in a browser, and play both sides:');
  console.log(`console    ${stack.gateway.url}/console   token ${settings.CHAT_WEB_TOKEN}`);
  console.log(`phones     ${stack.simulator.controlUrl}/\n`);
  await exchange(stack);
  console.log('\nEvery step passed.');
  if (isOnce) return;
  await prepareExamples(stack.phones, ADA);
  await stack.client.startSession({ id: 'spare' });
  await stayUp(stack, settings.CHAT_WEB_TOKEN);
}

/** The same account on several hosts. */
async function runHosts(count: number): Promise<void> {
  if (!(count >= 2 && count <= 5)) throw new Error('--hosts must be 2 to 5');
  if (!postgresPrograms()) throw new Error('PostgreSQL is not installed: see https://www.postgresql.org/download/');
  const names = Array.from({ length: count }, (_, n) => `host-${n + 1}`);
  await using hosts = await Hosts.start(names, {
    capacity: 4,
    detached: true,
    settings: { CHAT_WEB_TOKEN: randomBytes(8).toString('hex') },
  });
  const [first, second] = [hosts.at('host-1'), hosts.at('host-2')];
  console.log(`Each gateway answers for all sessions. The token is ${first.address.token}`);
  for (const name of names) console.log(`${name.padEnd(10)} ${hosts.at(name).gateway.url}/console`);
  console.log(`phones     ${first.simulator.controlUrl}/\n`);
  const calls = [first, second].map(({ address }) => showCall(address));
  const [call = showCall(first.address), callOther = call] = calls;

  await step('link an account on host-1', async () => {
    call('POST', `/sessions/${SESSION}/start?host=host-1`);
    await first.client.startSession({ id: SESSION, host: 'host-1' });
    const { qr } = await eventually(() => first.client.getQr({ id: SESSION }), STEP_TIMEOUT_MS);
    await first.phones.scan(ADA, qr);
    await first.untilStatus(SESSION, 'ready', STEP_TIMEOUT_MS);
  });
  await step('send a text by the gateway of host-2', async () => {
    const message = { type: 'text', to: `+${BEN}`, body: 'Hello from another host' } as const;
    callOther('POST', `/sessions/${SESSION}/messages`, message);
    await sendText(second.client, { id: SESSION, ...message });
  });
  await step('move the session to host-2', async () => {
    call('POST', `/sessions/${SESSION}/move`, { to: 'host-2' });
    const startedAt = performance.now();
    const { state, message } = await first.client.moveSession({ id: SESSION, to: 'host-2' });
    if (state !== 'done') throw new Error(`the move is ${state} (${message})`);
    await first.untilStatus(SESSION, 'ready', STEP_TIMEOUT_MS);
    printLine(`  moved and ready after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  });
  await step('kill host-2, and see that it is lost, after 30 s', async () => {
    await second.gateway.end('SIGKILL');
    call('GET', `/sessions/${SESSION}/status`);
    await first.untilStatus(SESSION, 'disconnected', STEP_TIMEOUT_MS);
    const { reason, message } = await first.client.getSessionStatus({ id: SESSION });
    printLine(`  ${reason}: ${message}`);
  });
  await step('start host-2 again: the account is still linked', async () => {
    await second.restartGateway();
    await first.untilStatus(SESSION, 'ready', STEP_TIMEOUT_MS);
  });
  console.log('\nEvery step passed.');
  if (isOnce) return;
  console.log('Ctrl+C stops everything.');
  await once(signal, 'abort');
}

async function exchange({ address, client, phones, simulator }: Stack): Promise<void> {
  const call = showCall(address);
  const callPhone = showCall({ url: simulator.controlUrl });

  await step('start a session, and get a QR', async () => {
    call('POST', `/sessions/${SESSION}/start`);
    const { status } = await client.startSession({ id: SESSION });
    if (status !== 'qr') throw new Error(`the session is ${status} and shows no QR`);
  });

  const events = await step('listen to its events', () => {
    call('GET', `/sessions/${SESSION}/events`);
    return EventLog.open(address, SESSION, undefined, printEvent);
  });

  await step('link the account by scanning the QR', async () => {
    const qr = readQr(await events.until('qr', () => true, STEP_TIMEOUT_MS));
    console.log(`\n${await drawQr(qr)}\nThe phone of ${ADA} scans it in a moment.\n`);
    await delay(BEFORE_SCAN_MS, undefined, { signal });
    callPhone('POST', `/accounts/${ADA}/scan`, { qr });
    await phones.scan(ADA, qr);
    await events.until('ready', () => true, STEP_TIMEOUT_MS);
  });

  const sent = await step('send a text', () => {
    const message = { type: 'text', to: `+${BEN}`, body: 'Hello from the gateway' } as const;
    call('POST', `/sessions/${SESSION}/messages`, message);
    return sendText(client, { id: SESSION, ...message });
  });

  await step('see the text on the phone of its recipient', async () => {
    await events.until('message_ack', ({ id, ack }) => id === sent.id && ack === 2, STEP_TIMEOUT_MS);
    callPhone('GET', `/accounts/${BEN}/messages`);
    const received = (await phones.messages(BEN)).filter(({ body }) => body === sent.body);
    if (received.length !== 1) throw new Error(`it arrived ${received.length} times`);
  });

  await step('receive a reply on the event stream', async () => {
    callPhone('POST', `/accounts/${BEN}/read`, { from: ADA });
    await phones.read(BEN, ADA);
    const reply = { to: ADA, body: 'Hello yourself', quotedMessageId: stanzaOf(sent.id) };
    callPhone('POST', `/accounts/${BEN}/messages`, reply);
    await phones.send(BEN, reply);
    const isReply = ({
      body,
      quotedMessageId,
    }: {
      readonly body: string;
      readonly quotedMessageId?: string | undefined;
    }) => body === reply.body && quotedMessageId === sent.id;
    await events.until('message', isReply, STEP_TIMEOUT_MS);
    await events.until('message_ack', ({ id, ack }) => id === sent.id && ack === 3, STEP_TIMEOUT_MS);
  });
}

async function stayUp({ gateway, simulator }: Stack, token: string): Promise<void> {
  console.log(`
Try it: the session "spare" waits to be linked. On the page of the phones, choose a phone and its linked devices, and
scan the QR; then chats of that phone reach the gateway, and the other way round.
  console    ${gateway.url}/console   token ${token}
  phones     ${simulator.controlUrl}/
Or paste the curl lines above, run the scripts in examples/, or use the examples of ${gateway.url}/openapi.json.
Ctrl+C stops everything.`);
  const ended = gateway.exited.then(() => {
    if (!signal.aborted) throw new Error('the gateway exited unexpectedly');
  });
  await Promise.race([once(signal, 'abort'), ended]);
  console.log('\nStopping.');
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const tooSlow = () => {
    throw new Error(`it took longer than ${STEP_TIMEOUT_MS / 1_000} s`);
  };
  const interrupted = (): never => {
    throw signal.reason;
  };
  try {
    return await unlessAborted(withDeadline<T, never>(work(), STEP_TIMEOUT_MS, tooSlow), signal, interrupted);
  } catch (error) {
    throw new Error(`step "${name}": ${errorText(error)}`, { cause: error });
  }
}

/** A QR, drawn for a terminal, or in plain characters if the output is not a terminal. */
function drawQr(text: string): Promise<string> {
  return process.stdout.isTTY
    ? qrToString(text, { type: 'terminal', small: true })
    : qrToString(text, { type: 'utf8' });
}

/** Prints HTTP calls as curl lines to paste. */
function showCall({ url, token }: GatewayAddress) {
  return (method: string, path: string, body?: object): void => {
    const parts = ['curl', ...(method === 'GET' ? ['-N'] : ['-X', method]), `${url}${path}`];
    if (token) parts.push('-H', `'Authorization: Bearer ${token}'`);
    if (body)
      parts.push('-H', "'Content-Type: application/json'", '-d', `'${JSON.stringify(body).replaceAll("'", `'\\''`)}'`);
    console.log(parts.join(' '));
  };
}

function printEvent({ name, data }: SessionEvent): void {
  printLine(`  event ${name} ${name === 'qr' ? 'data:image/png;base64,…' : JSON.stringify(data)}`);
}
