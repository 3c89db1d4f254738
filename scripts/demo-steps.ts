import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, sendText } from '@chat-web/host';
import { type Simulator, startSimulator } from '@chat-web/simulator';
import { drawQr, readQr, showCall, showEvents } from './demo-output.ts';
import { prepareExamples, stanzaOf } from './example-world.ts';
import { type GatewayProcess, spawnGateway } from './gateway-process.ts';

/** How the demo is run. */
export interface DemoOptions {
  readonly dataDir: string;
  readonly port: string;
  readonly once: boolean;
  /** Stops the demo. */
  readonly signal: AbortSignal;
}

const SESSION = 'main';
const OWN_NUMBER = '12025550101';
const FRIEND = '12025550102';
const STEP_TIMEOUT_MS = 40_000;
const BEFORE_SCAN_MS = 1_500;

/** Runs every step, and keeps running unless `once` is set. Rejects with the name of the step that failed. */
export async function runDemo(options: DemoOptions): Promise<void> {
  const { dataDir, port, once, signal } = options;
  const simulator = await step('start the simulator', () => startSimulator(), signal);
  try {
    const token = randomBytes(8).toString('hex');
    const settings = {
      CHAT_WEB_PORT: port,
      CHAT_WEB_TOKEN: token,
      CHAT_WEB_DATA_DIR: dataDir,
      CHAT_WEB_BROWSER_ARGS: JSON.stringify(simulator.browserArgs),
      CHAT_WEB_WEBHOOK_HOSTS: 'localhost,127.0.0.1',
    };
    const gateway = await step('start the gateway', () => spawnGateway(settings, { detached: true, signal }), signal);
    try {
      console.log('Open both pages in a browser, and play both sides:');
      console.log(`console    ${gateway.url}/console   token ${token}`);
      console.log(`phones     ${simulator.controlUrl}/\n`);
      await exchange(simulator, gateway, token, signal);
      console.log('\nEvery step passed.');
      if (!once) {
        await prepareExamples(simulator.phones, OWN_NUMBER);
        await createClient({ url: gateway.url, token }).startSession({ id: 'spare' });
        await stayUp(simulator, gateway, token, signal);
      }
    } finally {
      await gateway.end();
    }
  } finally {
    await simulator.close();
  }
}

async function exchange(
  { phones, controlUrl }: Simulator,
  gateway: GatewayProcess,
  token: string,
  signal: AbortSignal,
): Promise<void> {
  const address = { url: gateway.url, token };
  const client = createClient(address);
  const call = showCall(address);
  const callPhone = showCall({ url: controlUrl });

  await step(
    'start a session, and get a QR',
    async () => {
      call('POST', `/sessions/${SESSION}/start`);
      const { status } = await client.startSession({ id: SESSION });
      if (status !== 'qr') throw new Error(`the session is ${status} and shows no QR`);
    },
    signal,
  );

  const events = await step(
    'listen to its events',
    () => {
      call('GET', `/sessions/${SESSION}/events`);
      return showEvents(address, SESSION, signal);
    },
    signal,
  );

  await step(
    'link the account by scanning the QR',
    async () => {
      const qr = readQr(await events.next('qr', () => true));
      console.log(`\n${await drawQr(qr)}\nThe phone of ${OWN_NUMBER} scans it in a moment.\n`);
      await delay(BEFORE_SCAN_MS, undefined, { signal });
      callPhone('POST', `/accounts/${OWN_NUMBER}/scan`, { qr });
      await phones.scan(OWN_NUMBER, qr);
      await events.next('ready', () => true);
    },
    signal,
  );

  const sent = await step(
    'send a text',
    () => {
      const message = { type: 'text', to: `+${FRIEND}`, body: 'Hello from the gateway' } as const;
      call('POST', `/sessions/${SESSION}/messages`, message);
      return sendText(client, { id: SESSION, ...message });
    },
    signal,
  );

  await step(
    'see the text on the phone of its recipient',
    async () => {
      await events.next('message_ack', ({ id, ack }) => id === sent.id && ack === 2);
      callPhone('GET', `/accounts/${FRIEND}/messages`);
      const received = (await phones.messages(FRIEND)).filter(({ body }) => body === sent.body);
      if (received.length !== 1) throw new Error(`it arrived ${received.length} times`);
    },
    signal,
  );

  await step(
    'receive a reply on the event stream',
    async () => {
      callPhone('POST', `/accounts/${FRIEND}/read`, { from: OWN_NUMBER });
      await phones.read(FRIEND, OWN_NUMBER);
      const reply = { to: OWN_NUMBER, body: 'Hello yourself', quotedMessageId: stanzaOf(sent.id) };
      callPhone('POST', `/accounts/${FRIEND}/messages`, reply);
      await phones.send(FRIEND, reply);
      await events.next('message', ({ body, quotedMessageId }) => body === reply.body && quotedMessageId === sent.id);
      await events.next('message_ack', ({ id, ack }) => id === sent.id && ack === 3);
    },
    signal,
  );
}

async function stayUp(
  simulator: Simulator,
  gateway: GatewayProcess,
  token: string,
  signal: AbortSignal,
): Promise<void> {
  console.log(`
Try it: the session "spare" waits to be linked. On the page of the phones, choose a phone and its linked devices, and
scan the QR; then chats of that phone reach the gateway, and the other way round.
  console    ${gateway.url}/console   token ${token}
  phones     ${simulator.controlUrl}/
Or paste the curl lines above, run the scripts in examples/, or use the examples of ${gateway.url}/openapi.json.
Ctrl+C stops everything.`);
  const interrupted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const ended = gateway.exited.then(() => {
    if (!signal.aborted) throw new Error('the gateway exited unexpectedly');
  });
  await Promise.race([interrupted, ended]);
  console.log('\nStopping.');
}

async function step<T>(name: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const over = new AbortController();
  const limit = delay(STEP_TIMEOUT_MS, undefined, { signal: AbortSignal.any([over.signal, signal]) }).then(() => {
    throw new Error(`it took longer than ${STEP_TIMEOUT_MS / 1_000} s`);
  });
  try {
    return await Promise.race([work(), limit]);
  } catch (error) {
    throw new Error(`step "${name}": ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    over.abort();
    limit.catch(() => {});
  }
}
