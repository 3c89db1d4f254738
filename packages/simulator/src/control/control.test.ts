import { generateKeyPairSync } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectSimulator, createPasskey } from '../index.ts';
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

  it('send messages to each other, also through a second client', async () => {
    const phones = connectSimulator(simulator.controlUrl);
    const sent = await phones.send('12025550101', { to: '12025550102', body: 'hello' });
    await expect.poll(() => phones.messages('12025550102', { with: '12025550101' })).toMatchObject([{ id: sent.id }]);
    const reply = { to: '12025550101@c.us', body: 'hi', quotedMessageId: sent.id };
    expect(await phones.send('12025550102', reply)).toMatchObject({ quotedMessageId: sent.id, quotedBody: 'hello' });
    expect(await phones.read('12025550102', '12025550101')).toEqual({ read: 1 });
    expect(await phones.messages('12025550101')).toMatchObject([{ fromMe: true, ack: 3 }, { fromMe: false }]);
  });

  it('have settled once every message has arrived', async () => {
    const { phones } = simulator;
    await phones.configure({ deliveryDelayMs: 3_000 });
    const { id } = await phones.send('12025550101', { to: '12025550103', body: 'on its way' });
    expect(await phones.messages('12025550103')).toEqual([]);
    await phones.settled();
    expect(await phones.messages('12025550103')).toMatchObject([{ id }]);
    await phones.configure({ deliveryDelayMs: 0 });
  });

  it('are listed with their unread count, and their chats newest first', async () => {
    const { phones } = simulator;
    const [nora, ola] = ['12025550191', '12025550192'];
    for (const [number, name] of [
      [nora, 'Nora Lund'],
      [ola, 'Ola Lund'],
    ] as const)
      await phones.addAccount({ number, name });
    const group = await phones.createGroup(nora, { subject: 'Lunds', participants: [ola] });
    for (const body of ['one', 'two']) await phones.send(nora, { to: ola, body });
    await phones.send(nora, { to: group.id, body: 'three' });
    const summary = { name: 'Ola Lund', online: true, devices: 0 };
    await expect
      .poll(() => phones.listedPhones({ search: ' ola l' }))
      .toEqual([{ ...summary, number: ola, unread: 3 }]);
    expect((await phones.listedPhones({ search: '+1202555019' })).map(({ number }) => number)).toEqual([nora, ola]);
    expect(await phones.listedPhones({ search: 'nobody' })).toEqual([]);
    expect(await phones.chats(ola)).toMatchObject([
      { id: group.id, name: 'Lunds', unread: 1, lastMessage: { body: 'three', authorName: 'Nora Lund' } },
      { id: `${nora}@c.us`, name: 'Nora Lund', unread: 2, lastMessage: { body: 'two' } },
    ]);
    await phones.contacts(ola, { save: [{ number: nora, name: 'Sister' }] });
    await phones.read(ola, nora);
    expect((await phones.chats(ola))[1]).toMatchObject({ name: 'Sister', unread: 0 });
    const newest = await phones.messages(ola, { with: nora, limit: 1 });
    expect(newest.map(({ body }) => body)).toEqual(['two']);
    const empty = await phones.createGroup(ola, { subject: 'Quiet', participants: [] });
    const quiet = (await phones.chats(ola)).at(-1);
    expect(quiet).toMatchObject({ id: empty.id, name: 'Quiet', unread: 0, chatStates: [] });
    expect(quiet).not.toHaveProperty('lastMessage');
  });

  it('send files, and report their bytes', async () => {
    const media = { kind: 'document', base64: 'aGVsbG8=', mimeType: 'text/plain', filename: 'hello.txt' } as const;
    const sent = await simulator.phones.send('12025550104', { to: '12025550105', body: 'see', media });
    expect(sent).toMatchObject({ type: 'document', body: 'see', size: 5, filename: 'hello.txt' });
    await expect.poll(() => simulator.phones.messages('12025550105')).toMatchObject([{ mimeType: 'text/plain' }]);
    const received = { mimeType: 'text/plain', filename: 'hello.txt', size: 5 };
    expect(await simulator.phones.media('12025550105', sent.id)).toMatchObject({
      ...received,
      sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    });
    await simulator.phones.dropMedia(sent.id);
  });

  it('react, edit and revoke', async () => {
    const { phones } = simulator;
    const { id: messageId } = await phones.send('12025550104', { to: '12025550107', body: 'helo' });
    await expect.poll(() => phones.messages('12025550107')).toHaveLength(1);
    await phones.react('12025550107', { messageId, emoji: '👍' });
    expect(await phones.edit('12025550104', messageId, 'hello')).toMatchObject({ edited: true });
    const seen = { body: 'hello', reactions: [{ from: '12025550107@c.us', emoji: '👍' }] };
    expect(await phones.messages('12025550107')).toMatchObject([seen]);
    await phones.age(messageId, 3 * 24 * 3_600_000);
    await expect(phones.revoke('12025550104', messageId)).rejects.toThrow('too old to be deleted for everyone');
    await phones.age(messageId, -3 * 24 * 3_600_000);
    await phones.revoke('12025550104', messageId);
    expect(await phones.messages('12025550107')).toMatchObject([{ type: 'revoked', body: '' }]);
  });

  it('create groups, and change them within their rights', async () => {
    const { phones } = simulator;
    const group = await phones.createGroup('12025550101', { subject: 'Trip', participants: ['12025550103'] });
    expect(group).toMatchObject({ subject: 'Trip', participants: [{ isAdmin: true }, { id: '12025550103@c.us' }] });
    await expect(phones.updateGroup('12025550103', group.id, { subject: 'Mine' })).rejects.toThrow('is not an admin');
    await phones.updateGroup('12025550101', group.id, { subject: 'Ours', add: ['12025550107'], leave: true });
    expect(await phones.groups('12025550101')).toEqual([]);
    const [seen] = await phones.groups('12025550107');
    expect([seen?.subject, seen?.participants.map(({ isAdmin }) => isAdmin)]).toEqual(['Ours', [true, false]]);
  });

  it('post statuses, and see those of people they know', async () => {
    const { id } = await simulator.phones.send('12025550101', { to: 'status@broadcast', body: 'at sea' });
    await expect.poll(() => simulator.phones.statuses('12025550105')).toMatchObject([{ id, body: 'at sea', font: 0 }]);
  });

  it('change their profile and address book, and can be filled with people', async () => {
    const { phones } = simulator;
    expect(await phones.profile('12025550104', { picture: 'private', groupPrivacy: 'invite_only' })).toMatchObject({
      picture: 'private',
      groupPrivacy: 'invite_only',
      business: false,
    });
    await phones.contacts('12025550104', { save: [{ number: '12025550105', name: 'Edie' }], block: ['12025550101'] });
    await expect(phones.contacts('12025550104', { forget: ['12025550199'] })).rejects.toThrow('forget: 12025550199');
    const before = (await phones.accounts()).length;
    await phones.populate('12025550104', { contacts: 3, chats: 2, groups: 1 });
    expect((await phones.accounts()).length).toBe(before + 3);
    expect(await phones.messages('12025550104')).toEqual(
      expect.arrayContaining([expect.objectContaining({ body: 'Message of chat 1' })]),
    );
  });

  it('register a new account once', async () => {
    const seed = { number: '12025550190', name: 'Nora Quist', addressing: 'lid' } as const;
    expect(await simulator.phones.addAccount(seed)).toMatchObject({ ...seed, lid: expect.stringMatching(/^\d+@lid$/) });
    await expect(simulator.phones.addAccount(seed)).rejects.toThrow('number: 12025550190 is registered already');
  });

  it('can be restricted, have messages refused and require a passkey', async () => {
    const { phones } = simulator;
    await phones.restrict('12025550106', true);
    await phones.requirePasskey('12025550106', true);
    await phones.refuse('12025550106', { kind: 'network', code: 429 });
    expect(await phones.account('12025550106')).toMatchObject({ restricted: true, passkey: true, hiddenNumber: false });
    await phones.registerPasskey('12025550106', { ...createPasskey(3).registration, credentialId: 'AQ+/' });
    expect(await phones.account('12025550106')).toMatchObject({ passkeys: [{ credentialId: 'AQ-_', signCount: 3 }] });
    await phones.refuse('12025550106', { kind: 'none' });
    await phones.restrict('12025550106', false);
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

  it('change the build, and keep explicit settings', async () => {
    const { phones } = simulator;
    await phones.configure({ downloads: 'any', missingModules: ['WAWebCmd.Cmd'] });
    const older = await phones.configure({ build: '2026-04' });
    expect(older).toMatchObject({ build: '2026-04', statusActions: 'object', idProperty: '$1', downloads: 'any' });
    const newer = await phones.configure({ build: '2026-10' });
    expect(newer).toMatchObject({ downloads: 'any', downloadResult: 'blob', missingModules: ['WAWebCmd.Cmd'] });
    expect(Number(newer.pageVersion.split('.').at(-1))).toBeGreaterThan(Number(older.pageVersion.split('.').at(-1)));
  });
});

describe('a refusal', () => {
  const [ADA, MESSAGES] = ['/accounts/12025550101', '/accounts/12025550101/messages'] as const;

  it.each([
    ['an unknown number', 404, '/accounts/12025550199', {}, 'number: 12025550199 is not registered'],
    ['an unknown recipient', 404, MESSAGES, { to: '12025550199', body: 'x' }, 'to: 12025550199'],
    ['a missing field', 400, MESSAGES, { to: '12025550102' }, 'body: '],
    ['a file that is not base64', 400, MESSAGES, file('***='), 'media.base64: must be base64'],
    ['an unknown message', 404, '/messages/NONE/age', { ms: 1 }, 'id: no account has a message NONE'],
    ['an unknown group', 404, MESSAGES, { to: '120363000000000000@g.us', body: 'x' }, 'group: '],
    ['a refusal with an invalid code', 400, '/accounts/12025550101/refusal', { kind: 'nack', code: 200 }, 'code: '],
    ['an unknown notice', 400, '/accounts/12025550101/notices', { kind: 'weather', from: '12025550102' }, 'kind: '],
    ['a code that no page shows', 404, '/accounts/12025550101/pair', { code: 'ABCD1234' }, 'code: no page shows'],
    ['a quote of an unknown message', 404, MESSAGES, reply('nothing'), 'quotedMessageId: '],
    ['an expired QR', 404, '/accounts/12025550101/scan', { qr: '2@x,a,b,c,1' }, 'qr: no page shows this QR'],
    ['an invalid key', 400, '/accounts/12025550101/passkeys', passkey('AAAA'), 'publicKey: must be the SPKI'],
    ['a key for RSA', 400, '/accounts/12025550101/passkeys', passkey(rsaKey()), 'publicKey: must be the SPKI'],
    ['a phone that no page waits for', 409, `${ADA}/passkey/continue`, {}, 'no page waits for the phone'],
    ['no QR at all', 400, '/accounts/12025550101/scan', { qr: 'hello' }, 'qr: not a QR'],
    ['an unknown page', 404, '/pages/none/disturb', { kind: 'reload' }, 'id: no page none is open'],
    ['an unknown disturbance', 400, '/pages/none/disturb', { kind: 'fire' }, 'kind: '],
    ['a disturbance without its option', 400, '/pages/none/disturb', { kind: 'block' }, 'ms: '],
    ['an unknown state', 400, '/pages/none/disturb', { kind: 'state', state: 'ASLEEP' }, 'state: '],
    ['a parameter of the path in the body', 400, `${ADA}/read`, { number: 'x', from: '12025550102' }, 'number: '],
    ['an unknown field', 400, '/accounts/12025550101/disconnect', { slowly: true }, 'slowly: '],
    ['an option of another kind', 400, '/pages/none/disturb', { kind: 'reload', ms: 1 }, 'ms: '],
    ['an unknown route', 404, '/nothing', {}, 'no route POST /nothing'],
  ])('of %s names it', async (_name, status, path, body, sentence) => {
    const isRead = path === '/accounts/12025550199';
    const method = path.endsWith('/refusal') ? 'PUT' : 'POST';
    const response = await ask(path, isRead ? {} : { method, body: JSON.stringify(body) });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.stringContaining(sentence) });
  });

  it.each([
    ['an unknown filter', `${MESSAGES}?from=12025550102`, undefined, 'from: '],
    ['an unknown setting', '/settings', { method: 'PATCH', body: '{"speed":1}' }, 'speed: '],
    ...['x', '0', '1.5'].map(
      (limit) => [`the limit ${limit}`, `${MESSAGES}?limit=${limit}`, undefined, 'limit: '] as const,
    ),
  ] as const)('of %s names it', async (_, path, init, sentence) => {
    const response = await ask(path, init);
    expect([response.status, await response.json()]).toEqual([400, { error: expect.stringContaining(sentence) }]);
  });

  it('responds to malformed JSON', async () => {
    expect((await ask('/accounts', { method: 'POST', body: '{' })).status).toBe(400);
  });
});

describe('a web page', () => {
  const own = () => new URL(simulator.controlUrl).host;
  /** Sends the headers as a browser would: fetch sets its own. */
  const statusFor = (method: string, path: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const outgoing = request(new URL(path, simulator.controlUrl), { method, headers }, (incoming) => {
        resolve(incoming.statusCode);
        incoming.resume();
      });
      outgoing.on('error', reject).end(method === 'POST' ? '{}' : undefined);
    });

  it("may use the API only as the phones' page, under the names of this machine", async () => {
    const { port } = new URL(simulator.controlUrl);
    for (const host of [own(), `localhost:${port}`, `[::1]:${port}`]) {
      const headers = { host, origin: `http://${host}` };
      expect(await statusFor('POST', '/accounts/12025550101/reconnect', headers), host).toBe(200);
      expect(await statusFor('GET', '/', { host }), host).toBe(200);
    }
  });

  it('is refused otherwise, whatever origin it claims', async () => {
    const host = own();
    const { port } = new URL(simulator.controlUrl);
    const origins = [
      'https://example.com',
      'null',
      '',
      `https://${host}`,
      `http://127.0.0.1:${Number(port) + 1}`,
      'http://127.0.0.1',
      `http://localhost:${port}`,
      `http://${host}.example.com`,
      `http://${host}/`,
    ];
    for (const origin of origins) {
      for (const path of ['/accounts/12025550101/reconnect', '/accounts/12025550101/logout'])
        expect(await statusFor('POST', path, { host, origin }), origin).toBe(403);
      for (const path of ['/accounts', '/', '/phones.js'])
        expect(await statusFor('GET', path, { host, origin }), origin).toBe(403);
    }
  });

  it('is refused under another name that resolves to this machine', async () => {
    for (const host of ['example.com', `example.com:${new URL(simulator.controlUrl).port}`, '127.0.0.1.example.com']) {
      for (const headers of [{ host }, { host, origin: `http://${host}` }])
        expect(await statusFor('GET', '/', headers), host).toBe(403);
    }
  });

  it('cannot frame or embed the responses; that of the phones runs no script but its file', async () => {
    for (const path of ['/', '/phones.js', '/accounts', '/nothing']) {
      const { headers } = await ask(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
      expect(policy).not.toContain('unsafe');
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
    expect(await (await ask('/')).text()).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=| style=/);
  });
});

it('a start on a busy port rejects with the code and the port', async () => {
  const taken = { port: simulator.port };
  await expect(startSimulator(taken)).rejects.toMatchObject({ code: 'EADDRINUSE', port: simulator.port });
});

function passkey(publicKey: string) {
  return { credentialId: 'AQID', publicKey };
}

function rsaKey(): string {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
}

function file(base64: string) {
  return { to: '12025550102', media: { kind: 'image', base64, mimeType: 'image/png' } };
}

function reply(quotedMessageId: string) {
  return { to: '12025550102', body: 'x', quotedMessageId };
}
