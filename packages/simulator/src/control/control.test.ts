import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectSimulator } from '../index.ts';
import { type Simulator, startSimulator } from '../simulator.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ settings: { deliveryDelayMs: 0 } });
});

afterAll(() => simulator.close());

const ask = (path: string, init?: RequestInit) => fetch(new URL(path, simulator.controlUrl), init);

describe('the phones', () => {
  it('know the seeded people', async () => {
    const accounts = await simulator.phones.accounts();
    expect(accounts.length).toBeGreaterThanOrEqual(6);
    expect(accounts.map(({ addressing }) => addressing)).toContain('lid');
    expect(await simulator.phones.account('12025550101')).toMatchObject({
      name: 'Ada Marsh',
      online: true,
      devices: [],
    });
  });

  it('write to each other, also through a second client', async () => {
    const phones = connectSimulator(simulator.controlUrl);
    const sent = await phones.send('12025550101', { to: '12025550102', body: 'hello' });
    await expect.poll(() => phones.messages('12025550102', { with: '12025550101' })).toMatchObject([{ id: sent.id }]);
    const reply = { to: '12025550101@c.us', body: 'hi', quotedMessageId: sent.id };
    expect(await phones.send('12025550102', reply)).toMatchObject({ quotedMessageId: sent.id, quotedBody: 'hello' });
    expect(await phones.read('12025550102', '12025550101')).toEqual({ read: 1 });
    expect(await phones.messages('12025550101')).toMatchObject([{ fromMe: true, ack: 3 }, { fromMe: false }]);
  });

  it('take a new account once', async () => {
    const seed = { number: '12025550190', name: 'Nora Quist', addressing: 'lid' } as const;
    expect(await simulator.phones.addAccount(seed)).toMatchObject({ ...seed, lid: expect.stringMatching(/^\d+@lid$/) });
    await expect(simulator.phones.addAccount(seed)).rejects.toThrow('number: 12025550190 is registered already');
  });

  it('do nothing while they are off', async () => {
    await simulator.phones.setOnline('12025550106', false);
    const send = simulator.phones.send('12025550106', { to: '12025550101', body: 'x' });
    await expect(send).rejects.toThrow('the phone of 12025550106 is off');
  });

  it('change settings and keep the others', async () => {
    const before = await simulator.phones.settings();
    expect(await simulator.phones.configure({ idProperty: '$1' })).toEqual({ ...before, idProperty: '$1' });
  });
});

describe('a refusal', () => {
  it.each([
    ['an unknown number', 404, '/accounts/12025550199', {}, 'number: 12025550199 is not registered'],
    ['a message to nobody', 404, '/accounts/12025550101/messages', { to: '12025550199', body: 'x' }, 'to: 12025550199'],
    ['a missing field', 400, '/accounts/12025550101/messages', { to: '12025550102' }, 'body: '],
    ['a quote of nothing', 404, '/accounts/12025550101/messages', reply('nothing'), 'quotedMessageId: '],
    ['an expired QR', 404, '/accounts/12025550101/scan', { qr: '2@x,a,b,c,1' }, 'qr: no page shows this QR'],
    ['no QR at all', 400, '/accounts/12025550101/scan', { qr: 'hello' }, 'qr: not a QR'],
    ['an unknown page', 404, '/pages/none/disturb', { kind: 'reload' }, 'id: no page none is open'],
    ['an unknown disturbance', 400, '/pages/none/disturb', { kind: 'fire' }, 'kind: '],
    ['an unknown route', 404, '/nothing', {}, 'no route POST /nothing'],
  ])('of %s names it', async (_name, status, path, body, sentence) => {
    const isRead = path === '/accounts/12025550199';
    const response = await ask(path, isRead ? {} : { method: 'POST', body: JSON.stringify(body) });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.stringContaining(sentence) });
  });

  it('of an unknown setting names it', async () => {
    const response = await ask('/settings', { method: 'PATCH', body: '{"speed":1}' });
    expect([response.status, await response.json()]).toEqual([400, { error: expect.stringContaining('speed: ') }]);
  });

  it('meets malformed JSON, and web pages', async () => {
    expect((await ask('/accounts', { method: 'POST', body: '{' })).status).toBe(400);
    expect((await ask('/accounts', { headers: { origin: 'https://example.com' } })).status).toBe(403);
  });
});

it('is told apart from a busy port', async () => {
  const taken = { port: simulator.port };
  await expect(startSimulator(taken)).rejects.toMatchObject({ code: 'EADDRINUSE', port: simulator.port });
});

function reply(quotedMessageId: string) {
  return { to: '12025550102', body: 'x', quotedMessageId };
}
