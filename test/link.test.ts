import { ADA, BEN, eventually } from '@chat-web/testing';
import { readQr } from '@chat-web/testing/stack';
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
