import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { PageMessage, ServerEvent } from '../page/wire.ts';
import { type Simulator, startSimulator } from '../simulator.ts';

const [ada, ben] = ['12025550101', '12025550102'] as const;
const pendingMs = 200;

let simulator: Simulator;

beforeEach(async () => {
  simulator = await startSimulator({ settings: { refDelayMs: 0, pairDelayMs: 0, syncDelayMs: 0, deliveryDelayMs: 0 } });
});

afterEach(() => simulator.close());

/** The connection of a page to the network. */
class Conversation {
  readonly received: ServerEvent[] = [];
  readonly #socket: WebSocket;

  constructor(page: string) {
    const address = `wss://127.0.0.1:${simulator.port}/ws/chat?page=${page}`;
    this.#socket = new WebSocket(address, { rejectUnauthorized: false });
    this.#socket.on('message', (data) => this.received.push(JSON.parse(String(data)) as ServerEvent));
    this.#socket.on('error', () => undefined);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  async send(message: PageMessage): Promise<void> {
    await expect.poll(() => this.isOpen).toBe(true);
    this.#socket.send(JSON.stringify(message));
  }

  all<T extends ServerEvent['type']>(type: T): Extract<ServerEvent, { type: T }>[] {
    return this.received.filter((event): event is Extract<ServerEvent, { type: T }> => event.type === type);
  }

  async one<T extends ServerEvent['type']>(type: T): Promise<Extract<ServerEvent, { type: T }>> {
    await expect.poll(() => this.all(type)).toHaveLength(1);
    return this.all(type)[0] as Extract<ServerEvent, { type: T }>;
  }
}

/** Links a page to the account and lets it log in. */
async function linkPage(number: string) {
  const session = new Conversation(number);
  await session.send({ type: 'register', noiseKey: 'noise', identityKey: 'identity' });
  const { ref } = await session.one('ref');
  await simulator.phones.scan(number, `${ref},noise,identity,secret,1`);
  const { deviceId, secret } = await session.one('paired');
  const logIn = async () => {
    const conversation = new Conversation(number);
    await conversation.send({ type: 'login', deviceId, secret, keys: 0 });
    await conversation.one('synced');
    return conversation;
  };
  return { conversation: await logIn(), deviceId, logIn };
}

/** What a browser receives for that path, once the response has ended or nothing has arrived for a while. */
/** `waitMs`: how long until the response counts as one that does not end. */
async function get(path: string, deviceId?: string, waitMs = 10_000) {
  const headers = deviceId === undefined ? {} : { cookie: `filler=1; device=${deviceId}` };
  const address = { host: '127.0.0.1', port: simulator.port, path, headers, rejectUnauthorized: false };
  return new Promise<{ status?: number; body: string; ended: boolean }>((resolve) => {
    const got = { body: '', ended: false };
    const sent = request(address, (response: IncomingMessage) => {
      Object.assign(got, { status: response.statusCode });
      response.on('data', (chunk) => {
        got.body += chunk;
      });
      response.on('end', () => resolve({ ...got, ended: true }));
      response.on('error', () => undefined);
    });
    sent.on('error', () => undefined);
    sent.end();
    setTimeout(() => resolve(got), waitMs).unref();
  });
}

describe('a connection that is stalled', () => {
  it('stays open without messages or responses, and gets them when it is released', async () => {
    const { conversation } = await linkPage(ada);
    await linkPage(ben);
    await simulator.phones.stall(ada, true);
    await simulator.phones.send(ben, { to: ada, body: 'hello' });
    await conversation.send({ type: 'request', request: 1, name: 'exists', params: { jid: `${ben}@c.us` } });
    await expect.poll(() => simulator.phones.messages(ada)).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, pendingMs));
    expect([conversation.isOpen, conversation.all('message'), conversation.all('answer')]).toEqual([true, [], []]);
    await simulator.phones.stall(ada, false);
    expect(await conversation.one('message')).toMatchObject({ message: { body: 'hello' } });
    expect(await conversation.one('answer')).toMatchObject({ request: 1, result: { pn: `${ben}@c.us` } });
  });

  it('is replaced by a new one, which gets the messages since then', async () => {
    const { conversation, logIn } = await linkPage(ada);
    await simulator.phones.stall(ada, true);
    await simulator.phones.send(ben, { to: ada, body: 'hello' });
    await expect.poll(() => simulator.phones.messages(ada)).toHaveLength(1);
    expect(await (await logIn()).one('message')).toMatchObject({ message: { body: 'hello' } });
    expect(conversation.all('message')).toEqual([]);
    await expect(simulator.phones.stall('12025550199', true)).rejects.toThrow('number: 12025550199');
  });
});

describe('a fault', () => {
  it('affects only the linked page of that account, and ends at a load without it', async () => {
    const { deviceId } = await linkPage(ada);
    const { deviceId: other } = await linkPage(ben);
    expect(await get('/', deviceId)).toMatchObject({ body: expect.stringContaining('"fault":"none"'), ended: true });
    await simulator.phones.fault(ada, 'state');
    expect(await simulator.phones.account(ada)).toMatchObject({ fault: 'state' });
    expect((await get('/', deviceId)).body).toContain('"fault":"state"');
    expect((await get('/', other)).body).toContain('"fault":"none"');
    expect((await get('/')).body).toContain('"fault":"none"');
    await simulator.phones.fault(ada, 'none');
    expect((await get('/', deviceId)).body).toContain('"fault":"none"');
    await expect(simulator.phones.fault('12025550199', 'state')).rejects.toThrow('number: 12025550199');
  });

  it('of the document lets it begin and never end, and serves everything else', async () => {
    const { deviceId } = await linkPage(ada);
    await simulator.phones.fault(ada, 'document');
    expect(await get('/', deviceId, 5 * pendingMs)).toEqual({ status: 200, body: '<!doctype html>\n', ended: false });
    expect(await get('/qr.svg?text=x', deviceId)).toMatchObject({ status: 200, ended: true });
  });

  it('of an image is in a complete document, and the image gets no response until the simulator closes', async () => {
    const { deviceId } = await linkPage(ada);
    await simulator.phones.fault(ada, 'image');
    const { body, ended } = await get('/', deviceId);
    const path = /<img src="([^"]+)"/.exec(body)?.[1] ?? '';
    expect([ended, path]).toEqual([true, '/pending.png']);
    expect(await get(path, deviceId, pendingMs)).toEqual({ body: '', ended: false });
    await simulator.close();
  });
});
