import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Download } from '@chat-web/protocol';
import { listening, pace, takes } from '@chat-web/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../client.ts';
import { type CacheOptions, cacheOptionsFromEnv, createCachedClient } from './cached-client.ts';

type Answer = (response: ServerResponse, path: string) => void;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const json =
  (body: unknown, status = 200): Answer =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
const picture =
  (bytes: Uint8Array, announced = true): Answer =>
  (response) => {
    const headers = announced ? { 'Content-Length': bytes.byteLength } : {};
    response.writeHead(200, { 'Content-Type': 'image/jpeg', ...headers }).end(bytes);
  };
const none: Answer = (response) => response.writeHead(204).end();
const chatsNamed = (name: string) => [
  { id: '1@c.us', name, unreadCount: 0, lastMessage: { body: 'b', timestamp: 1, fromMe: false } },
  { id: '2@c.us', name: 'other', unreadCount: 1 },
];

/** A client with caches, and a server that gives the set response after a delay and records its requests. */
async function clientOf(first: Answer, options?: CacheOptions) {
  let answer = first;
  const requests: string[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    requests.push(`${request.method} ${request.url}`);
    const then = answer;
    request.resume();
    await takes(20);
    then(response, request.url ?? '');
  });
  const url = `http://127.0.0.1:${await listening(server)}`;
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    client: createCachedClient(createClient({ url }), options),
    requests,
    answerWith: (next: Answer) => {
      answer = next;
    },
  };
}

const ADA = { id: 'main', contactId: '12025550101@c.us' };
const many = <T>(call: () => Promise<T>) => Promise.all(Array.from({ length: 100 }, call));
const bytesOf = async (download: Download | null) =>
  download && new Uint8Array(await new Response(download.data).arrayBuffer());

/** `toEqual` takes a second for 300 KB. */
const isSame = (bytes: Uint8Array | null, expected: Uint8Array) =>
  bytes !== null && Buffer.compare(bytes, expected) === 0;

describe('the list of chats', () => {
  it('is requested once by 100 concurrent calls, and again after its lifetime', async () => {
    const { client, requests, answerWith } = await clientOf(json(chatsNamed('Ada')), { chatsSeconds: 0.3 });
    const lists = await many(() => client.listChats({ id: 'main' }));
    expect(requests).toEqual(['GET /sessions/main/chats']);
    for (const list of lists) expect(list).toEqual(chatsNamed('Ada'));
    answerWith(json(chatsNamed('Ben')));
    while ((await client.listChats({ id: 'main' }))[0]?.name === 'Ada') await pace(5);
    expect(requests).toHaveLength(2);
  });

  it('is not cached by pages: each is another part', async () => {
    const { client, requests, answerWith } = await clientOf(json(chatsNamed('Ada')));
    await client.listChats({ id: 'main' });
    const [, second] = chatsNamed('Ada');
    answerWith(json([second]));
    expect(await client.listChats({ id: 'main', limit: 1, after: '1@c.us' })).toEqual([second]);
    expect(await client.listChats({ id: 'main' })).toEqual(chatsNamed('Ada'));
    expect(requests).toEqual(['GET /sessions/main/chats', 'GET /sessions/main/chats?limit=1&after=1%40c.us']);
  });

  it('is separate for each session', async () => {
    const { client, requests } = await clientOf(json([]));
    await Promise.all([client.listChats({ id: 'a' }), client.listChats({ id: 'b' }), client.listChats({ id: 'a' })]);
    expect(requests.sort()).toEqual(['GET /sessions/a/chats', 'GET /sessions/b/chats']);
  });

  it('is not affected by a caller that changes it', async () => {
    const { client } = await clientOf(json(chatsNamed('Ada')));
    const list = await client.listChats({ id: 'main' });
    list.length = 0;
    const [chat] = await client.listChats({ id: 'main' });
    expect(() => Object.assign(chat ?? {}, { name: 'Eve' })).toThrow(TypeError);
    expect(await client.listChats({ id: 'main' })).toEqual(chatsNamed('Ada'));
  });

  it('is not cached if it failed: all waiting callers get the error, and the next call retries', async () => {
    const { client, requests, answerWith } = await clientOf(
      json({ error: 'not ready', code: 'session_not_ready' }, 409),
    );
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => client.listChats({ id: 'main' })));
    expect(requests).toHaveLength(1);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'session_not_ready' } });
    answerWith(json([]));
    expect(await client.listChats({ id: 'main' })).toEqual([]);
  });

  const changing = [
    'message',
    'message_ack',
    'message_sent',
    'message_edited',
    'message_revoked',
    'chat_updated',
    'group_joined',
    'group_left',
    'group_updated',
    'gap',
    'ready',
    'disconnected',
  ];
  it.each(changing)('is invalidated by %s, only in that session', async (name) => {
    const { client, requests } = await clientOf(json([]));
    for (const id of ['a', 'b']) await client.listChats({ id });
    client.cache.onEvent({ name, session: 'a' });
    for (const id of ['a', 'b']) await client.listChats({ id });
    expect(requests.filter((one) => one.includes('/a/'))).toHaveLength(2);
    expect(requests.filter((one) => one.includes('/b/'))).toHaveLength(1);
    client.cache.onEvent({ name }); // For all sessions.
    for (const id of ['a', 'b']) await client.listChats({ id });
    expect(requests).toHaveLength(5);
  });

  it('that was being requested at an event is not cached, but serves the calls that waited for it', async () => {
    const { client, requests, answerWith } = await clientOf(json(chatsNamed('before')));
    const early = client.listChats({ id: 'main' });
    await expect.poll(() => requests.length, { interval: 1 }).toBeGreaterThan(0);
    answerWith(json(chatsNamed('after')));
    client.cache.onEvent({ name: 'message', session: 'main' });
    const late = client.listChats({ id: 'main' });
    expect((await early)[0]?.name).toBe('before');
    expect((await late)[0]?.name).toBe('after');
    expect((await client.listChats({ id: 'main' }))[0]?.name).toBe('after');
    expect(requests).toHaveLength(2);
  });

  it('is invalidated by a send through the client, even a failed one, but not by a read', async () => {
    const { client, requests, answerWith } = await clientOf(json([]));
    await client.listChats({ id: 'main' });
    await client.listGroups({ id: 'main' });
    await client.listChats({ id: 'main' });
    answerWith(json({ error: 'unknown', code: 'recipient_not_found' }, 404));
    await expect(client.sendMessage({ id: 'main', type: 'text', to: '12025550101', body: 'Hi' })).rejects.toThrow();
    answerWith(json([]));
    await client.listChats({ id: 'main' });
    expect(requests.filter((one) => one === 'GET /sessions/main/chats')).toHaveLength(2);
  });

  it('can be aborted by one caller without affecting the others', async () => {
    const { client, requests } = await clientOf(json(chatsNamed('Ada')));
    const list = client.listChats as (input: { id: string }, options?: { signal: AbortSignal }) => Promise<unknown>;
    const leaves = new AbortController();
    const [first, second] = [list({ id: 'main' }, { signal: leaves.signal }), list({ id: 'main' })];
    leaves.abort(new Error('the page was closed'));
    await expect(first).rejects.toThrow('the page was closed');
    expect(await second).toEqual(chatsNamed('Ada'));
    await expect(list({ id: 'main' }, { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(requests).toHaveLength(1);
  });

  it('can time out for one caller, whose options do not affect the others', async () => {
    const { client, requests } = await clientOf((response) =>
      setTimeout(() => json(chatsNamed('a'))(response, ''), 200),
    );
    const hurried = client.listChats({ id: 'main' }, { timeoutMs: 50, retries: 0 });
    const patient = client.listChats({ id: 'main' });
    await expect(hurried).rejects.toMatchObject({ code: 'internal_error', status: undefined });
    expect(await patient).toHaveLength(2);
    expect(requests).toHaveLength(1);
  });

  it('is not cached with 0 seconds', async () => {
    const { client, requests } = await clientOf(json([]), { chatsSeconds: 0 });
    for (let count = 0; count < 3; count += 1) await client.listChats({ id: 'main' });
    expect(requests).toHaveLength(3);
  });

  it('does not hold the memory of many sessions', async () => {
    const lastMessage = { body: 'x'.repeat(5_000), timestamp: 1, fromMe: false };
    const large = Array.from({ length: 200 }, (_, index) => ({
      id: `${index}@c.us`,
      name: '',
      unreadCount: 0,
      lastMessage,
    }));
    const { client, requests } = await clientOf(json(large), { chatsSeconds: 60 });
    // Some 2 MB each: 40 of them are above the bound of 64 MB.
    for (let index = 0; index < 40; index += 1) await client.listChats({ id: `s${index}` });
    await client.listChats({ id: 's39' });
    expect(requests).toHaveLength(40);
    await client.listChats({ id: 's0' });
    expect(requests).toHaveLength(41);
  }, 30_000);
});

describe('pictures', () => {
  const JPEG = Uint8Array.from({ length: 5_000 }, (_, index) => index % 251);

  it('are requested once by 100 concurrent calls; each gets its own copy of the bytes', async () => {
    const { client, requests } = await clientOf(picture(JPEG));
    const downloads = await many(() => client.getPicture(ADA));
    expect(requests).toHaveLength(1);
    for (const download of downloads) {
      expect(download).toMatchObject({ size: JPEG.byteLength, mimeType: 'image/jpeg' });
      const { value: bytes = null } = (await download?.data.getReader().read()) ?? {};
      expect(isSame(bytes, JPEG)).toBe(true);
      bytes?.fill(0); // A caller may change its own copy.
    }
    expect(isSame(await bytesOf(await client.getPicture(ADA)), JPEG)).toBe(true);
    expect(requests).toHaveLength(1);
  });

  it('that do not exist are cached as well', async () => {
    const { client, requests } = await clientOf(none);
    expect(new Set(await many(() => client.getPicture(ADA)))).toEqual(new Set([null]));
    expect(await client.getPicture(ADA)).toBeNull();
    expect(requests).toHaveLength(1);
  });

  it('are requested again after their lifetime', async () => {
    const { client, requests, answerWith } = await clientOf(none, { pictureSeconds: 0.3 });
    expect(await client.getPicture(ADA)).toBeNull();
    answerWith(picture(JPEG));
    while ((await client.getPicture(ADA)) === null) await pace(5);
    expect(requests).toHaveLength(2);
  });

  it('that fail are not cached', async () => {
    const { client, requests, answerWith } = await clientOf(json({ error: 'it failed', code: 'client_failed' }, 500));
    await expect(client.getPicture(ADA)).rejects.toMatchObject({ code: 'client_failed' });
    answerWith(picture(JPEG));
    expect(isSame(await bytesOf(await client.getPicture(ADA)), JPEG)).toBe(true);
    expect(requests).toHaveLength(2);
  });

  it('whose bytes are incomplete are not cached', async () => {
    const { client, answerWith } = await clientOf((response) => {
      response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': 5_000 });
      response.write(JPEG.subarray(0, 100), () => response.destroy());
    });
    await expect(client.getPicture(ADA)).rejects.toThrow();
    answerWith(picture(JPEG));
    expect(isSame(await bytesOf(await client.getPicture(ADA)), JPEG)).toBe(true);
  });

  it.each([true, false])(
    'that are too large are passed through, not cached (size announced: %s)',
    async (announced) => {
      const large = new Uint8Array(300_000).fill(7);
      const { client, requests } = await clientOf(picture(large, announced), { maxPictureBytes: 100_000 });
      for (let count = 0; count < 3; count += 1) {
        expect(isSame(await bytesOf(await client.getPicture(ADA)), large)).toBe(true);
      }
      expect(requests).toHaveLength(4); // The first call only found out that it is too large.
    },
  );

  it('are invalidated with their session, but not by a message', async () => {
    const { client, requests } = await clientOf(picture(JPEG));
    const both = () => Promise.all([client.getPicture(ADA), client.getPicture({ ...ADA, id: 'main2' })]);
    await both();
    client.cache.onEvent({ name: 'message', session: 'main' });
    await both();
    expect(requests).toHaveLength(2);
    client.cache.onEvent({ name: 'ready', session: 'main' });
    await both();
    expect(requests).toHaveLength(3);
    client.cache.clear();
    await both();
    expect(requests).toHaveLength(5);
  });

  it('are invalidated by a gap, since another account may have been linked during it', async () => {
    const { client, requests } = await clientOf(none);
    await client.getPicture(ADA);
    client.cache.onEvent({ name: 'gap' });
    await client.getPicture(ADA);
    expect(requests).toHaveLength(2);
  });

  it('are not cached if they may take no bytes', async () => {
    const { client, requests } = await clientOf(picture(JPEG), { maxPicturesBytes: 0 });
    for (let times = 0; times < 3; times += 1) expect((await client.getPicture(ADA))?.size).toBe(JPEG.byteLength);
    expect(requests).toHaveLength(3);
  });

  it('are invalidated when the session is deleted through the client', async () => {
    const { client, requests, answerWith } = await clientOf(none);
    await client.getPicture(ADA);
    answerWith(json({ id: 'main', status: 'removed' }));
    await client.deleteSession({ id: 'main' });
    answerWith(none);
    await client.getPicture(ADA);
    expect(requests.filter((one) => one.endsWith('/picture'))).toHaveLength(2);
  });

  it.each(['setProfilePicture', 'removeProfilePicture'] as const)(
    'of a session are void after %s, one that failed too, and not after a send',
    async (name) => {
      const { client, requests, answerWith } = await clientOf(picture(JPEG));
      await client.getPicture(ADA);
      await client.getPicture({ ...ADA, id: 'other' });
      const calls = [
        () => client.setPresence({ id: 'main', presence: 'available' }),
        () => client[name]({ id: 'main', url: 'https://example.com/me.jpg' }),
      ];
      for (const [times, call] of calls.entries()) {
        answerWith(json({ error: 'refused', code: 'client_failed' }, 500));
        await expect(call()).rejects.toMatchObject({ code: 'client_failed' });
        answerWith(picture(JPEG));
        for (const id of ['main', 'other']) await client.getPicture({ ...ADA, id });
        expect(requests.filter((one) => one.startsWith('GET'))).toHaveLength(2 + times);
      }
    },
  );

  it('take a bounded amount of memory', async () => {
    const { client, requests } = await clientOf(picture(JPEG), { maxPicturesBytes: 60_000 });
    for (let index = 0; index < 20; index += 1) await client.getPicture({ ...ADA, contactId: `${index}@c.us` });
    expect(requests).toHaveLength(20);
    await client.getPicture({ ...ADA, contactId: '19@c.us' });
    expect(requests).toHaveLength(20);
    await client.getPicture({ ...ADA, contactId: '0@c.us' });
    expect(requests).toHaveLength(21);
  });
});

describe('settings', () => {
  it.each([
    ['5', { chatsSeconds: 5 }],
    ['0', { chatsSeconds: 0 }],
    ['0.5', { chatsSeconds: 0.5 }],
    ['', {}],
    [undefined, {}],
  ])('CHAT_UI_CHATS_CACHE_SECONDS=%s', (written, expected) => {
    expect(cacheOptionsFromEnv({ CHAT_UI_CHATS_CACHE_SECONDS: written })).toEqual(expected);
  });

  it.each(['-1', '3s', '1e3', '3601', 'Infinity'])(
    'CHAT_UI_CHATS_CACHE_SECONDS=%s is an error that names it',
    (written) => {
      expect(() => cacheOptionsFromEnv({ CHAT_UI_CHATS_CACHE_SECONDS: written })).toThrow(
        /^CHAT_UI_CHATS_CACHE_SECONDS/,
      );
    },
  );

  it.each([-1, Number.NaN, 0.5])('%s bytes are a TypeError that names the option', async (maxPictureBytes) => {
    await expect(clientOf(none, { maxPictureBytes })).rejects.toThrow(/^maxPictureBytes/);
    await expect(clientOf(none, { maxPicturesBytes: maxPictureBytes })).rejects.toThrow(/^maxPicturesBytes/);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('%s seconds are a TypeError', async (pictureSeconds) => {
    await expect(clientOf(none, { pictureSeconds })).rejects.toThrow(TypeError);
  });
});
