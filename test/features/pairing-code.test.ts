import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@chat-web/host';
import { ADA, BEN, browserAndWorkerIn, CARLA, DEV, eventually, rawRequest, rounds } from '@chat-web/testing';
import { readQr, Stack } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const MINUTE_MS = 60_000;
const ERIN = '12025550195';

const phoneOf = (stack: Stack, id: string, number: string) =>
  stack.client.requestPairingCode({ id, phoneNumber: `+${number}` });
const refused = (code: string, about: string) => ({ code, message: expect.stringContaining(about) });

describe('a pairing code', () => {
  it('links the session when its owner types it, is sent on the stream, and is not stored', async () => {
    await using stack = await Stack.start();
    const { client, phones, gateway } = stack;
    await client.startSession({ id: 'main' });
    const events = await stack.listen('main');
    const shown = await phoneOf(stack, 'main', ADA);
    expect(shown).toEqual({ id: 'main', code: expect.stringMatching(/^[0-9A-Z]{8}$/), expiresAt: expect.any(String) });
    const leftMs = Date.parse(shown.expiresAt) - Date.now();
    expect(leftMs).toBeGreaterThan(2 * MINUTE_MS);
    expect(leftMs).toBeLessThanOrEqual(3 * MINUTE_MS);
    const { id: _, ...data } = shown;
    expect(await events.until('pairing_code')).toEqual(data);

    // The page has dropped the secret of its QR. A new stream gets the code instead.
    expect(await client.startSession({ id: 'main' })).toEqual({ id: 'main', status: 'qr' });
    await expect(client.getQr({ id: 'main' })).rejects.toMatchObject(refused('qr_not_available', 'pairing code'));
    const later = await stack.listen('main');
    expect(await later.until('pairing_code')).toEqual(data);
    expect(later.all('qr')).toEqual([]);
    // A repeated request returns the same code: the network counts codes.
    expect(await phoneOf(stack, 'main', ADA)).toEqual(shown);

    await phones.pair(ADA, shown.code);
    expect(await events.until('ready')).toMatchObject({ phone: ADA });
    expect(events.all('pairing_code')).toHaveLength(1);

    const headers = { accept: 'application/json' };
    const stored = await rawRequest(gateway.url, { path: '/events?after=oldest', headers });
    expect(stored.text).toContain('"event":"ready"');
    const log = gateway.log.join('\n');
    expect(log).toContain('"pairing code shown"');
    for (const text of [stored.text, log]) {
      expect(text).not.toContain(shown.code);
      expect(text).not.toContain('"pairing_code"');
    }
    expect(log).not.toContain(ADA);
  });

  it('is replaced by a code for another number, and by a fresh QR after a restart', async () => {
    await using stack = await Stack.start();
    const { client, phones } = stack;
    await client.startSession({ id: 'main' });
    const events = await stack.listen('main');
    const asked = await Promise.all(
      [ADA, BEN].map(async (number) => ({ number, ...(await phoneOf(stack, 'main', number)) })),
    );
    await events.until('pairing_code', () => events.all('pairing_code').length === 2);
    const shown = events.all('pairing_code').map(({ code }) => asked.find((one) => one.code === code));
    const [first, last] = shown;
    await expect(phones.pair(first?.number ?? '', first?.code ?? '')).rejects.toThrow();

    const { qr = '' } = await client.restartSession({ id: 'main' });
    expect(readQr(qr)).toMatch(/^2@/);
    await expect(phones.pair(last?.number ?? '', last?.code ?? '')).rejects.toThrow();
    await phones.scan(CARLA, qr);
    await stack.untilStatus('main', 'ready');
  });

  it('is refused for a number that is not registered, and the session shows a QR again', async () => {
    await using stack = await Stack.start();
    await stack.client.startSession({ id: 'main' });
    const events = await stack.listen('main');
    const before = readQr(await events.until('qr'));
    await expect(phoneOf(stack, 'main', '12025550199')).rejects.toMatchObject({
      code: 'invalid_request',
      issues: [{ path: 'phoneNumber', message: expect.stringContaining('country code') }],
    });
    // The previous QR is void: the page has dropped its secret.
    const { qr } = await eventually(() => stack.client.getQr({ id: 'main' }));
    expect(readQr(qr)).not.toBe(before);
    expect(readQr(await events.until('qr', (text) => readQr(text) !== before))).toBe(readQr(qr));
    await stack.phones.scan(ADA, qr);
    await stack.untilStatus('main', 'ready');
  });

  it('that the network refuses fails with a matching error, and the session shows a QR again', async () => {
    await using stack = await Stack.start();
    let { qr = '' } = await stack.client.startSession({ id: 'main' });
    for (const [code, error] of [
      [400, { code: 'invalid_request', issues: [{ path: 'phoneNumber' }] }],
      [403, { code: 'not_permitted' }],
      [452, { code: 'client_failed' }],
      [500, { code: 'client_failed' }],
      [429, { code: 'rate_limited', retryAfterSeconds: 3_600 }],
    ] as const) {
      await stack.phones.refuseCodes(ADA, code);
      await expect(phoneOf(stack, 'main', ADA)).rejects.toMatchObject(error);
      const next = await eventually(() => stack.client.getQr({ id: 'main' }));
      expect(readQr(next.qr), `the QR after ${code}`).not.toBe(readQr(qr));
      ({ qr } = next);
    }
    await stack.phones.scan(ADA, qr);
    await stack.untilStatus('main', 'ready');
  });

  it('is 501 on a page that lacks what it needs, which can still be linked by its QR', async () => {
    await using stack = await Stack.start({ simulator: { missingModules: ['WAWebAltDeviceLinkingApi'] } });
    const { qr = '' } = await stack.client.startSession({ id: 'main' });
    await expect(phoneOf(stack, 'main', ADA)).rejects.toMatchObject(
      refused('page_unsupported', 'lacks WAWebAltDeviceLinkingApi'),
    );
    await stack.phones.scan(ADA, qr);
    await stack.untilStatus('main', 'ready');
    const { degraded = [] } = await stack.client.getSessionStatus({ id: 'main' });
    expect(degraded.map(({ capability }) => capability)).toEqual(['requestPairingCode']);
  });

  it('ends with the browser: a pending call is answered, and the session shows a QR', async () => {
    await using stack = await Stack.start();
    await stack.client.startSession({ id: 'main' });
    const events = await stack.listen('main');
    const { code } = await phoneOf(stack, 'main', ADA);
    const waiting = phoneOf(stack, 'main', BEN).catch((error: unknown) => error);
    process.kill(browserAndWorkerIn(stack.dataDir).browser, 'SIGKILL');
    const outcome = await waiting;
    if (outcome instanceof Error)
      expect(outcome).toMatchObject({ code: expect.stringMatching(/outcome_unknown|qr_not_/) });
    await events.until('qr', () => events.all('qr').length >= 2);
    await expect(stack.phones.pair(ADA, code)).rejects.toThrow();
  });

  it.each(rounds({ few: [20], all: [0, 20, 100, 300] }))(
    'is answered also if the QR is scanned %i ms later',
    async (ms) => {
      await using stack = await Stack.start();
      const { qr = '' } = await stack.client.startSession({ id: 'main' });
      const [asked] = await Promise.allSettled([
        phoneOf(stack, 'main', ADA),
        delay(ms).then(() => stack.phones.scan(BEN, qr)),
      ]);
      if (asked.status === 'rejected')
        expect(asked.reason).toMatchObject({
          code: expect.stringMatching(/^(already_linked|qr_not_available|outcome_unknown)$/),
        });
      await stack.untilStatus('main', 'ready');
      expect(await stack.client.getSessionInfo({ id: 'main' })).toMatchObject({ phone: BEN });
      await expect(phoneOf(stack, 'main', ADA)).rejects.toMatchObject({ code: 'already_linked' });
    },
  );

  it('is void after the page reloads, which shows a QR', async () => {
    await using stack = await Stack.start();
    await stack.client.startSession({ id: 'main' });
    const events = await stack.listen('main');
    const { code } = await phoneOf(stack, 'main', ADA);
    const [page] = await stack.phones.pages();
    await stack.phones.disturb(page?.id ?? '', 'reload');
    await events.until('qr', () => events.all('qr').length >= 2);
    await expect(stack.phones.pair(ADA, code)).rejects.toThrow();
    const next = await phoneOf(stack, 'main', ADA);
    await stack.phones.pair(ADA, next.code);
    await stack.untilStatus('main', 'ready');
    expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({ restarts: 0 });
  });

  it('of an account with a passkey is not enough: the passkey is required', async () => {
    await using stack = await Stack.start();
    await stack.phones.requirePasskey(ADA, true);
    await stack.client.startSession({ id: 'main' });
    const events = await stack.listen('main');
    const { code } = await phoneOf(stack, 'main', ADA);
    await stack.phones.pair(ADA, code);
    await events.until('passkey_required');
    expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({ reason: 'PASSKEY_REQUIRED' });
    await expect(phoneOf(stack, 'main', ADA)).rejects.toMatchObject(refused('qr_not_available', 'passkey'));
  });
});

describe('a number that is linked here', () => {
  const stack = sharedStack({ settings: { CHAT_WEB_TOKEN: 'sesame' } });
  beforeAll(async () => {
    await stack.link('linked', ADA);
    await stack.client.startSession({ id: 'spare' });
    await stack.phones.addAccount({ number: ERIN, name: 'Erin' });
  });

  /** The linked devices of the account: a code might unlink one. */
  const devices = async () => (await stack.phones.account(ADA)).devices;

  it('gets no code, for the session itself or for another, and its link is unchanged', async () => {
    const before = await devices();
    await expect(phoneOf(stack, 'linked', ADA)).rejects.toMatchObject(refused('already_linked', 'linked'));
    await expect(phoneOf(stack, 'linked', BEN)).rejects.toMatchObject(refused('already_linked', 'linked'));
    await expect(phoneOf(stack, 'spare', ADA)).rejects.toMatchObject(refused('already_linked', 'session linked'));
    expect(await devices()).toEqual(before);
    expect(await stack.client.getSessionStatus({ id: 'linked' })).toMatchObject({ status: 'ready', restarts: 0 });
    await stack.client.getQr({ id: 'spare' }); // Its QR is still valid: the page got no request.
  });

  it('is refused without naming its session to a key without access to it', async () => {
    const { key } = await stack.client.createKey({ name: 'spare', sessions: ['spare'], scope: 'manage' });
    const client = createClient({ url: stack.gateway.url, token: key }, { retries: 0 });
    const asked = client.requestPairingCode({ id: 'spare', phoneNumber: ADA });
    await expect(asked).rejects.toMatchObject(refused('already_linked', 'a session of this gateway'));
  });

  it('gets no code while that session is stopped, also after a restart of the gateway', async () => {
    const before = (await devices()).map(({ id }) => id);
    await stack.client.stopSession({ id: 'linked' });
    await expect(phoneOf(stack, 'linked', ADA)).rejects.toMatchObject(refused('qr_not_available', 'stopped'));
    await expect(phoneOf(stack, 'spare', ADA)).rejects.toMatchObject(refused('already_linked', 'session linked'));
    await stack.gateway.end();
    await stack.restartGateway({ CHAT_WEB_AUTO_START_SESSIONS: 'no' });
    await stack.client.startSession({ id: 'spare' });
    await expect(phoneOf(stack, 'spare', ADA)).rejects.toMatchObject(refused('already_linked', 'session linked'));
    expect((await devices()).map(({ id }) => id)).toEqual(before);
    await stack.client.startSession({ id: 'linked' });
    await stack.untilStatus('linked', 'ready');
  });

  it('gets one code at a time, for the session that requests it first', async () => {
    await stack.client.startSession({ id: 'rival' });
    const answers = await Promise.allSettled([phoneOf(stack, 'spare', BEN), phoneOf(stack, 'rival', BEN)]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'already_linked' } });
  });

  it('voids the code of another session when it is linked by a QR', async () => {
    await phoneOf(stack, 'rival', CARLA);
    await stack.link('third', CARLA);
    await eventually(() => stack.client.getQr({ id: 'rival' }));
  });

  it('is not kept by a code from sessions of other keys: whoever is linked first has it', async () => {
    const clients = await Promise.all(
      ['one', 'two', 'three'].map(async (id) => {
        const { key } = await stack.client.createKey({ name: id, sessions: [id], scope: 'manage' });
        const client = createClient({ url: stack.gateway.url, token: key }, { retries: 0 });
        await client.startSession({ id });
        return { ask: () => client.requestPairingCode({ id, phoneNumber: ERIN }), id };
      }),
    );
    const [one, two, three] = clients;
    await one?.ask();
    const { code = '' } = (await two?.ask()) ?? {};
    // The operator sees both.
    await expect(phoneOf(stack, 'rival', ERIN)).rejects.toMatchObject(refused('already_linked', 'session one'));
    await stack.phones.pair(ERIN, code);
    await stack.untilStatus('two', 'ready');
    await eventually(() => stack.client.getQr({ id: 'one' }));
    for (const { ask } of [one, three].flatMap((other) => other ?? []))
      await expect(ask()).rejects.toMatchObject({
        code: 'already_linked',
        message: 'a session of this gateway has this number',
      });
    expect((await stack.phones.account(ERIN)).devices).toHaveLength(1);
    for (const { id } of clients) await stack.client.deleteSession({ id });
  });

  it('gets no further code if it is linked while one is requested', async () => {
    const { key } = await stack.client.createKey({ name: 'late', sessions: ['late'], scope: 'manage' });
    const client = createClient({ url: stack.gateway.url, token: key }, { retries: 0 });
    for (const id of ['late', 'early']) await stack.client.startSession({ id });
    const { code } = await phoneOf(stack, 'early', ERIN);
    const { worker } = browserAndWorkerIn(join(stack.dataDir, 'sessions', 'late'));
    process.kill(worker, 'SIGSTOP');
    const late = client.requestPairingCode({ id: 'late', phoneNumber: ERIN }).catch((error: unknown) => error);
    try {
      await stack.phones.pair(ERIN, code);
      await stack.untilStatus('early', 'ready');
    } finally {
      process.kill(worker, 'SIGCONT');
    }
    expect(await late).toMatchObject(refused('already_linked', 'a session of this gateway has this number'));
    await eventually(() => client.getQr({ id: 'late' }));
    for (const id of ['early', 'late']) await stack.client.deleteSession({ id });
  });

  it('gets no code during its first sync, also if it was linked by a QR', async () => {
    await stack.phones.configure({ syncDelayMs: 3_600_000 });
    const { qr = '' } = await stack.client.startSession({ id: 'syncing' });
    await stack.phones.scan(DEV, qr);
    await eventually(async () => expect((await stack.phones.account(DEV)).logins).toBe(1));
    await stack.untilStatus('syncing', 'authenticating');
    await stack.phones.settled(); // The page has reported its account.
    await expect(phoneOf(stack, 'rival', DEV)).rejects.toMatchObject(refused('already_linked', 'session syncing'));
    expect((await stack.phones.account(DEV)).devices).toHaveLength(1);
  });
});
