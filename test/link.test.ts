import { ADA, BEN, eventually, rawRequest, withRoom } from '@chat-web/testing';
import { readQr, Stack } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { describe, expect, it } from 'vitest';

const TOKEN = 'a-token-that-nobody-should-see';

describe('linking an account', () => {
  const stack = sharedStack({ settings: { CHAT_WEB_TOKEN: TOKEN } });

  it('goes from nothing to ready by scanning the QR that start, GET qr, its image and the stream all show', async () => {
    const { client, phones } = stack;
    const started = await client.startSession({ id: 'main' });
    expect(started).toMatchObject({ id: 'main', status: 'qr' });
    const events = await stack.listen('main');

    const pages = await phones.pages();
    // As the library sets it: a browser that reports itself as headless, or another version elsewhere, stands out.
    expect(pages[0]?.browser).toEqual({
      userAgent: expect.stringMatching(/^Mozilla\S+ \(Macintosh.* Chrome\/101/),
      brands: [],
    });
    const shown = pages.map(({ qr }) => qr);
    expect(shown).toHaveLength(1);
    const { qr } = await client.getQr({ id: 'main' });
    expect(readQr(qr)).toBe(shown[0]);
    expect(readQr(started.qr ?? '')).toBe(shown[0]);
    expect(readQr(await events.until('qr'))).toBe(shown[0]);
    const image = await fetch(new URL('/sessions/main/qr', stack.gateway.url), {
      headers: { Accept: 'image/png', Authorization: `Bearer ${TOKEN}` },
    });
    expect(image.headers.get('content-type')).toBe('image/png');
    const png = Buffer.from(await image.arrayBuffer()).toString('base64');
    expect(readQr(`data:image/png;base64,${png}`)).toBe(shown[0]);
    expect(await client.getSessionStatus({ id: 'main' })).toMatchObject({ id: 'main', status: 'qr' });
    await expect(client.getSessionInfo({ id: 'main' })).rejects.toMatchObject({ code: 'session_not_ready' });
    const tooEarly = client.sendMessage({ id: 'main', type: 'text', to: ADA, body: 'too early' });
    await expect(tooEarly).rejects.toMatchObject({ code: 'session_not_ready' });

    await phones.scan(ADA, qr);
    const account = { pushname: 'Ada Marsh', wid: `${ADA}@c.us`, phone: ADA };
    expect(await events.until('ready')).toEqual(account);
    expect(await client.getSessionInfo({ id: 'main' })).toMatchObject({ ...account, platform: expect.any(String) });
    expect(await client.listSessions()).toMatchObject({ sessions: [{ id: 'main', status: 'ready' }] });
    expect(await client.startSession({ id: 'main' })).toEqual({ id: 'main', status: 'ready' });
    await expect(client.getQr({ id: 'main' })).rejects.toMatchObject({ code: 'qr_not_available' });
    expect(events.all('ready')).toHaveLength(1);
  });

  it('writes neither the QR nor a message into the log', async () => {
    await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'a secret for one' });
    await eventually(() => expect(stack.gateway.log.join('\n')).toContain('"operation":"sendMessage"'));
    const log = stack.gateway.log.join('\n');
    expect(log).toContain('"session":"main"');
    expect(log).not.toContain('a secret for one');
    for (const secret of ['data:image', '2@', TOKEN]) expect(log).not.toContain(secret);
  });
});

describe('an account with a passkey', () => {
  const message = expect.stringMatching(/^linking needs the passkey .*chat-web link/);

  it.each([true, false])(
    'is reported within 5 s of the scan, and the session keeps waiting: test ids %s',
    async (testIds) => {
      await using stack = await Stack.start({ simulator: { testIds } });
      const { client, phones } = stack;
      await phones.requirePasskey(ADA, true);
      const { qr = '' } = await client.startSession({ id: 'main' });
      const events = await stack.listen('main');
      await phones.scan(ADA, qr);
      expect(await events.until('passkey_required', undefined, withRoom(5_000))).toEqual({ message });
      const asked = { id: 'main', status: 'qr', reason: 'PASSKEY_REQUIRED', message };
      expect(await client.getSessionStatus({ id: 'main' })).toMatchObject({ ...asked, restarts: 0 });
      expect(await client.startSession({ id: 'main' })).toEqual(asked);
      await expect(client.getQr({ id: 'main' })).rejects.toMatchObject({
        code: 'qr_not_available',
        message: expect.stringContaining('passkey'),
      });
      expect(stack.gateway.log.filter((line) => line.includes('"passkey required"'))).toHaveLength(1);
      expect((await phones.account(ADA)).devices).toEqual([]);

      // It is stored for later readers. They do not get the QR.
      const later = await stack.listen('main');
      const headers = { accept: 'application/json' };
      const stored = await rawRequest(stack.gateway.url, { path: '/events?after=oldest', headers });
      expect(stored.body).toMatchObject({
        events: [{ event: 'passkey_required', session: 'main', data: { message } }],
      });
      expect(later.all('qr')).toEqual([]);

      // Another account can be linked after a restart.
      await phones.requirePasskey(ADA, false);
      const restarted = await client.restartSession({ id: 'main' });
      expect(restarted).toEqual({ id: 'main', status: 'qr', qr: expect.any(String) });
      expect(await client.getSessionStatus({ id: 'main' })).not.toHaveProperty('reason');
      await phones.scan(ADA, restarted.qr ?? '');
      await stack.untilStatus('main', 'ready');
    },
  );
});

describe('the QR', () => {
  it('is a new one each time the page rotates it, and never expires while the session waits', async () => {
    await using stack = await Stack.start({ simulator: { qrFirstMs: 700, qrIntervalMs: 700, qrCount: 2 } });
    await stack.client.startSession({ id: 'main' });
    const events = await stack.listen('main');
    await events.until('qr', () => events.all('qr').length >= 5);
    const texts = events.all('qr').map(readQr);
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.filter((text) => text.startsWith('undefined'))).toEqual([]);

    // From here on each stays long enough to be read and scanned, even on a slow machine.
    await stack.phones.configure({ qrFirstMs: 60_000, qrIntervalMs: 60_000 });
    await eventually(async () => {
      const { qr } = await stack.client.getQr({ id: 'main' });
      await stack.phones.scan(ADA, qr);
    });
    await stack.untilStatus('main', 'ready');
  });
});
