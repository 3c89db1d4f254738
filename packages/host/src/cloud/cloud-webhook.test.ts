import { createHmac } from 'node:crypto';
import { deferred, MB } from '@chat-web/protocol';
import { cloudDeliveries, pace, takes } from '@chat-web/testing';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { memorySeenStore } from '../inbound/once.ts';
import { type CloudEvent, cloudEventsOf } from './cloud-events.ts';
import { type CloudWebhookOptions, cloudWebhookFromEnv, createCloudWebhook } from './cloud-webhook.ts';

const { delivery, fieldExamples, message, messageExamples, messages, statusExamples, statuses, text } = cloudDeliveries;

const SECRET = 'the app secret';
const URL_OF_IT = 'https://shop.example/webhooks/chat';

type GivenHeaders = Record<string, string> | [string, string][];

function signature(body: string | Uint8Array, secret = SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

function post(body: object | string, headers: Record<string, string> = {}): Request {
  const written = typeof body === 'string' ? body : JSON.stringify(body);
  const signed = { 'X-Hub-Signature-256': signature(written), ...headers };
  return new Request(URL_OF_IT, { method: 'POST', body: written, headers: signed });
}

function webhookWith(options: CloudWebhookOptions = {}) {
  const events: CloudEvent[] = [];
  const errors: unknown[] = [];
  const warnings: string[] = [];
  const webhook = createCloudWebhook({
    verifyToken: 'the verify token',
    appSecret: SECRET,
    onEvent: (event) => events.push(event),
    onError: (error) => errors.push(error),
    onWarning: (warning) => warnings.push(warning),
    seen: memorySeenStore({ maxIds: 10_000 }), // The default reserves 5 MB.
    ...options,
  });
  const send = async (body: object | string) => {
    const { status } = await webhook.fetch(post(body));
    await webhook.idle();
    return status;
  };
  return { webhook, events, errors, warnings, send };
}

describe('the handshake', () => {
  const ask = (query: string, options: CloudWebhookOptions = {}) =>
    webhookWith(options).webhook.fetch(new Request(`${URL_OF_IT}?${query}`));
  const RIGHT = 'hub.mode=subscribe&hub.verify_token=the+verify+token&hub.challenge=1158201444';

  it('returns the challenge as plain text', async () => {
    const answer = await ask(RIGHT);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toMatch(/^text\/plain/);
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(await answer.text()).toBe('1158201444');
  });

  it.each([
    ['another token', RIGHT.replace('the+', 'a+')],
    ['a longer token', RIGHT.replace('token&', 'token+&')],
    ['no token', 'hub.mode=subscribe&hub.challenge=1'],
    ['an empty token', 'hub.mode=subscribe&hub.verify_token=&hub.challenge=1'],
    ['another mode', RIGHT.replace('subscribe', 'unsubscribe')],
    ['no mode', RIGHT.replace('hub.mode=subscribe&', '')],
    ['no challenge', RIGHT.replace(/&hub.challenge=.*/, '')],
    ['nothing', ''],
  ])('is refused with %s', async (_, query) => {
    const answer = await ask(query);
    expect(answer.status).toBe(403);
    expect(await answer.text()).not.toContain('1158201444');
  });

  it.each([undefined, '', ' '])('is refused, with a warning, while the verify token is %j', async (verifyToken) => {
    const { webhook, warnings } = webhookWith({ verifyToken });
    expect(warnings.join()).toContain('CHAT_VERIFY_TOKEN');
    for (const token of ['', '+', 'undefined']) {
      const url = `${URL_OF_IT}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1`;
      expect((await webhook.fetch(new Request(url))).status).toBe(403);
    }
  });
});

describe('the signature', () => {
  const BODY = JSON.stringify(messages(text('wamid.1', 'Grüße')));
  const RIGHT = signature(BODY);
  const HEX = RIGHT.slice('sha256='.length);
  const send = async (headers: GivenHeaders, body: string | Uint8Array<ArrayBuffer> = BODY, options = {}) => {
    const { webhook, events } = webhookWith(options);
    const { status } = await webhook.fetch(new Request(URL_OF_IT, { method: 'POST', body, headers }));
    await webhook.idle();
    return { status, events: events.length };
  };

  it.each([
    ['as the provider writes it', RIGHT],
    ['in upper-case hex', `sha256=${HEX.toUpperCase()}`],
  ])('is accepted %s', async (_, header) => {
    expect(await send({ 'X-Hub-Signature-256': header })).toEqual({ status: 200, events: 1 });
    expect(await send({ 'x-hub-signature-256': header })).toEqual({ status: 200, events: 1 });
  });

  const sha1 = createHmac('sha1', SECRET).update(BODY).digest('hex');
  it.each<[string, GivenHeaders]>([
    ['missing', {}],
    ['empty', { 'X-Hub-Signature-256': '' }],
    ['of another secret', { 'X-Hub-Signature-256': signature(BODY, 'another') }],
    ['of an empty secret', { 'X-Hub-Signature-256': signature(BODY, 'x'.slice(1)) }],
    ['of another body', { 'X-Hub-Signature-256': signature(`${BODY} `) }],
    ['without its algorithm', { 'X-Hub-Signature-256': HEX }],
    ['of another algorithm', { 'X-Hub-Signature-256': `sha1=${sha1}` }],
    ['of another algorithm that calls itself sha256', { 'X-Hub-Signature-256': `sha256=${sha1}` }],
    ['of sha512', { 'X-Hub-Signature-256': `sha512=${createHmac('sha512', SECRET).update(BODY).digest('hex')}` }],
    ['only in the older header', { 'X-Hub-Signature': `sha1=${sha1}` }],
    ['too short', { 'X-Hub-Signature-256': RIGHT.slice(0, -2) }],
    ['too long', { 'X-Hub-Signature-256': `${RIGHT}00` }],
    ['not hex', { 'X-Hub-Signature-256': `sha256=${'g'.repeat(64)}` }],
    ['base64', { 'X-Hub-Signature-256': `sha256=${createHmac('sha256', SECRET).update(BODY).digest('base64')}` }],
    [
      'given twice',
      [
        ['X-Hub-Signature-256', RIGHT],
        ['X-Hub-Signature-256', RIGHT],
      ],
    ],
  ])('that is %s is 401', async (_, headers) => {
    expect(await send(headers)).toEqual({ status: 401, events: 0 });
  });

  it('is of the raw bytes: equal JSON with other bytes is 401', async () => {
    const header = { 'X-Hub-Signature-256': RIGHT };
    const escaped = BODY.replace('ü', '\\u00fc').replace('ß', '\\u00df');
    expect(JSON.parse(escaped)).toEqual(JSON.parse(BODY));
    expect(await send(header, escaped)).toEqual({ status: 401, events: 0 });
    expect(await send(header, JSON.stringify(JSON.parse(BODY), null, 1))).toEqual({ status: 401, events: 0 });
    // The provider itself escapes what is not ASCII, and signs that.
    expect(await send({ 'X-Hub-Signature-256': signature(escaped) }, escaped)).toEqual({ status: 200, events: 1 });
  });

  it('may be of either of two secrets', async () => {
    const both = { appSecret: ['new', SECRET] };
    expect(await send({ 'X-Hub-Signature-256': RIGHT }, BODY, both)).toEqual({ status: 200, events: 1 });
    expect(await send({ 'X-Hub-Signature-256': signature(BODY, 'new') }, BODY, both)).toMatchObject({ status: 200 });
    expect(await send({ 'X-Hub-Signature-256': signature(BODY, 'old') }, BODY, both)).toMatchObject({ status: 401 });
  });

  it.each([undefined, '', ' ', [], ['', ' ']])(
    'without a secret (%j): an error at start, and 503',
    async (appSecret) => {
      const { webhook, errors } = webhookWith({ appSecret });
      expect(String(errors)).toContain('CHAT_APP_SECRET');
      for (const secret of ['', ' ', 'undefined']) {
        const header = signature(BODY, secret === '' ? Buffer.alloc(0).toString() : secret);
        expect((await webhook.fetch(post(BODY, { 'X-Hub-Signature-256': header }))).status).toBe(503);
      }
    },
  );

  it('that is not verified causes a warning at start and at each delivery', async () => {
    const { webhook, events, warnings } = webhookWith({ verifySignature: false, appSecret: undefined });
    expect(warnings).toHaveLength(1);
    await webhook.fetch(post(BODY, { 'X-Hub-Signature-256': 'sha256=nonsense' }));
    await webhook.fetch(new Request(URL_OF_IT, { method: 'POST', body: JSON.stringify(messages(text('2', ''))) }));
    await webhook.idle();
    expect(warnings).toHaveLength(3);
    expect(events).toHaveLength(2);
  });
});

describe('events', () => {
  it.each(Object.entries(messageExamples))('a message: %s', async (_, example) => {
    const { send, events, errors } = webhookWith();
    expect(await send(messages(example))).toBe(200);
    expect(errors).toEqual([]);
    expect(events).toEqual([
      expect.objectContaining({
        name: 'message',
        accountId: '100000000000001',
        phoneNumberId: '200000000000002',
        displayPhoneNumber: '12025550100',
        contact: { profile: { name: 'Ada' }, wa_id: '12025550101' },
        message: JSON.parse(JSON.stringify(example)), // Complete and unchanged.
      }),
    ]);
  });

  it.each(Object.entries(statusExamples))('a status: %s', async (_, example) => {
    const { send, events } = webhookWith();
    expect(await send(statuses(example))).toBe(200);
    expect(events).toEqual([expect.objectContaining({ name: 'status', status: example })]);
  });

  it.each(Object.entries(fieldExamples))('a field: %s', async (field, value) => {
    const { send, events } = webhookWith();
    expect(await send(delivery(field, value))).toBe(200);
    expect(events).toEqual([expect.objectContaining({ name: field, value })]);
  });

  it('an error of the number, and a message that the business sent from a phone', async () => {
    const { send, events } = webhookWith();
    const error = { code: 130429, title: 'Rate limit hit' };
    await send(delivery('messages', { messaging_product: 'whatsapp', errors: [error] }));
    const echo = { ...text('wamid.echo', 'Back soon'), to: '12025550101' };
    await send(delivery('smb_message_echoes', { messaging_product: 'whatsapp', message_echoes: [echo] }));
    expect(events).toEqual([
      expect.objectContaining({ name: 'error', error }),
      expect.objectContaining({ name: 'message_echo', message: echo }),
    ]);
  });

  const value = { messages: [text('wamid.1', 'Hi')], inventions: [{ id: 1 }] };
  it.each<[string, object, object[]]>([
    [
      'a message of a new type',
      messages(message('hologram', { hologram: {} })),
      [{ name: 'other', field: 'messages' }],
    ],
    ['a text without its text', messages(message('text', {})), [{ name: 'other', field: 'messages' }]],
    ['a status without its name', statuses({ id: 'wamid.1' }), [{ name: 'other', field: 'messages' }]],
    ['a new field', delivery('inventions', { a: 1 }), [{ name: 'other', field: 'inventions', value: { a: 1 } }]],
    ['a field of another form', delivery('security', [1]), [{ name: 'other', field: 'security', value: [1] }]],
    ['a new part beside messages', delivery('messages', value), [{ name: 'message' }, { name: 'other', value }]],
    ['messages of another form', delivery('messages', { messages: 'x' }), [{ name: 'other', field: 'messages' }]],
    [
      'another object',
      { object: 'page', entry: [{ id: 1 }] },
      [{ name: 'other', value: { object: 'page', entry: [{ id: 1 }] } }],
    ],
    ['an entry without changes', { object: 'whatsapp_business_account', entry: [7] }, [{ name: 'other', value: 7 }]],
    ['nothing', {}, [{ name: 'other', value: {} }]],
  ])('%s is passed on as other', async (_, body, expected) => {
    const { send, events, errors } = webhookWith();
    expect(await send(body)).toBe(200);
    expect(events).toEqual(expected.map((one) => expect.objectContaining(one)));
    expect(errors).toEqual([]);
  });

  it('the contact of each message is its sender', async () => {
    const { send, events } = webhookWith();
    const contacts = [
      { wa_id: '2', profile: { name: 'B' } },
      { user_id: 'US.1', profile: { name: 'A' } },
    ];
    const list = [text('1', ''), text('2', '', '2'), { ...text('3', ''), from: undefined, from_user_id: 'US.1' }];
    await send(delivery('messages', { contacts, messages: list }));
    expect(events.map((event) => event.name === 'message' && event.contact?.profile?.name)).toEqual([
      undefined,
      'B',
      'A',
    ]);
  });

  it('a single contact belongs to a single message, even if its number is written differently', async () => {
    const { send, events } = webhookWith();
    const contacts = [{ wa_id: '5511987654321' }];
    await send(delivery('messages', { contacts, messages: [text('1', '', '551187654321')] }));
    await send(delivery('messages', { contacts, messages: [text('2', '', '5'), text('3', '', '5511987654321')] }));
    const found = events.map((event) => event.name === 'message' && event.contact);
    expect(found).toEqual([contacts[0], undefined, contacts[0]]);
  });

  it('are typed by their name, and messages by their type', async () => {
    const bodies: string[] = [];
    const { send } = webhookWith({
      handlers: {
        message: ({ message }) => {
          if (message.type === 'text') bodies.push(message.text.body);
          // @ts-expect-error: only a text has one.
          void message.text;
        },
        status: ({ status: { status, errors } }) => bodies.push(`${status} ${errors?.[0]?.code}`),
        message_template_status_update: ({ value }) => bodies.push(value.event ?? ''),
        // @ts-expect-error: there is no such event.
        inventions: () => undefined,
      },
    });
    await send(messages(text('1', 'Hi'), message('image', { image: { id: '1' } })));
    await send(statuses(statusExamples.failed ?? {}));
    await send(delivery('message_template_status_update', fieldExamples.message_template_status_update));
    expect(bodies).toEqual(['Hi', 'failed 131026', 'REJECTED']);
  });

  it('without a handler of their own are passed to any', async () => {
    const names: string[] = [];
    const { send } = webhookWith({
      handlers: { message: () => names.push('own'), any: ({ name }) => names.push(name) },
    });
    await send(messages(text('1', '')));
    await send(delivery('inventions', {}));
    await send(delivery('account_update', {}));
    expect(names).toEqual(['own', 'other', 'account_update']);
  });

  it('are handled in order within each conversation, and several conversations at a time', async () => {
    const seen: string[] = [];
    let running = 0;
    let max = 0;
    const { webhook } = webhookWith({
      handlers: {
        message: async ({ message }) => {
          running += 1;
          max = Math.max(max, running);
          if (message.id.length === 2) await takes(message.id.endsWith('0') ? 20 : 1);
          seen.push(message.id.slice(0, 2));
          running -= 1;
        },
      },
    });
    for (let index = 0; index < 10; index += 1) {
      // The first has many events whose ids are hashed, which takes time.
      const many =
        index === 0 ? Array.from({ length: 300 }, (_, more) => text(`a0${'x'.repeat(400)}${more}`, '', '1')) : [];
      await webhook.fetch(post(messages(text(`a${index}`, 'x', '1'), ...many)));
      await webhook.fetch(post(messages(text(`b${index}`, 'x', '2'))));
    }
    await webhook.idle();
    const ids = Array.from({ length: 10 }, (_, index) => index);
    const ofA = seen.filter((id) => id.startsWith('a'));
    expect(ofA).toEqual([...Array.from({ length: 300 }, () => 'a0'), ...ids.map((index) => `a${index}`)]);
    expect(seen.filter((id) => id.startsWith('b'))).toEqual(ids.map((index) => `b${index}`));
    expect(max).toBe(2);
  });
});

describe('a repeated delivery', () => {
  it('is passed on once, also while the first is being handled, and with other bytes', async () => {
    const { webhook, events } = webhookWith({ onEvent: undefined });
    const seen: CloudEvent[] = [];
    const other = webhookWith({ onEvent: async (event) => void seen.push(event, await takes(20, event)) });
    const bodies = [
      messages(...Object.values(messageExamples).slice(0, 1)),
      ...Object.entries(fieldExamples).map(([field, value]) => delivery(field, value, 1)),
    ];
    for (const body of [...bodies, ...bodies]) {
      expect((await other.webhook.fetch(post(body))).status).toBe(200);
      expect((await other.webhook.fetch(post(JSON.stringify(body, null, 2)))).status).toBe(200);
    }
    await other.webhook.idle();
    expect(seen).toHaveLength(2 * bodies.length); // Each is pushed at its start and at its end.
    expect(events).toEqual([]);
    await webhook.close();
  });

  it('is recognised whatever the order of its keys', async () => {
    const { send, events } = webhookWith();
    await send(
      delivery('account_update', { event: 'X', country: 'US', violation_info: { violation_type: 'SPAM' } }, 1),
    );
    await send(
      delivery('account_update', { violation_info: { violation_type: 'SPAM' }, country: 'US', event: 'X' }, 1),
    );
    expect(events).toHaveLength(1);
  });

  it('is passed on as far as it is new', async () => {
    const { send, events } = webhookWith();
    await send(messages(text('1', '')));
    await send(messages(text('1', ''), text('2', '')));
    const people = ['2', '3'].map((recipient_participant_id) => ({ ...statusExamples.read, recipient_participant_id }));
    await send(statuses(statusExamples.sent ?? {}, statusExamples.read ?? {}, ...people));
    await send(statuses(statusExamples.sent ?? {}, { ...statusExamples.sent, timestamp: '1767225699' }));
    await send(delivery('account_update', { event: 'X' }, 1));
    await send(delivery('account_update', { event: 'X' }, 2)); // It happened again.
    expect(events.map(({ name }) => name)).toEqual([
      'message',
      'message',
      'status',
      'status',
      'status',
      'status',
      'status',
      'account_update',
      'account_update',
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  it('is handled again if a handler failed, which is reported with the event', async () => {
    const errors: unknown[] = [];
    let calls = 0;
    const { send } = webhookWith({
      onEvent: () => {
        calls += 1;
        if (calls === 1) throw new Error('the database is away');
      },
      onError: (error, event) => errors.push([String(error), event?.name]),
    });
    const body = messages(text('1', ''), text('2', ''));
    expect(await send(body)).toBe(200);
    expect(calls).toBe(2); // The next event is handled nevertheless.
    expect(await send(body)).toBe(200);
    expect(await send(body)).toBe(200);
    expect(calls).toBe(3);
    expect(errors).toEqual([['Error: the database is away', 'message']]);
  });

  it('is recognised by the store of the application; a failing store loses nothing', async () => {
    const ids = new Set<string>();
    const seen = { has: async (id: string) => ids.has(id), add: async (id: string) => void ids.add(id) };
    const body = messages(text('1', ''));
    const [first, second] = [webhookWith({ seen }), webhookWith({ seen })];
    await first.send(body);
    await second.send(body);
    expect([first.events.length, second.events.length]).toEqual([1, 0]);
    expect([...ids].every((id) => id.length <= 300)).toBe(true);

    const away = () => Promise.reject(new Error('away'));
    const third = webhookWith({ seen: { has: away, add: away } });
    expect(await third.send(body)).toBe(200);
    expect(third.events).toHaveLength(1);
    expect(third.errors).toHaveLength(2);
  });
});

describe('responses', () => {
  it('are sent at once, whatever the handlers do', async () => {
    const { promise, resolve } = deferred();
    const { webhook, events } = webhookWith({ onEvent: () => promise });
    expect((await webhook.fetch(post(messages(text('1', ''))))).status).toBe(200);
    resolve();
    await webhook.idle();
    expect(events).toEqual([]);
  });

  it('are sent before the first handler is called', async () => {
    const { webhook, events } = webhookWith();
    const answer = await webhook.fetch(post(messages(text('1', ''))));
    for (let turn = 0; turn < 1_000; turn += 1) await Promise.resolve(); // Enough for any promises it awaits.
    expect([answer.status, events.length]).toEqual([200, 0]);
    await webhook.idle();
    expect(events).toHaveLength(1);
  });

  it('of many deliveries do not each wait for a timer', async () => {
    const { webhook, events } = webhookWith();
    await Promise.all(Array.from({ length: 300 }, (_, index) => webhook.fetch(post(messages(text(`${index}`, ''))))));
    let turns = 0;
    for (; events.length < 300; turns += 1) await pace(1);
    expect(turns).toBeLessThan(150);
  });

  it('are sent after the handlers if configured, 500 if one failed', async () => {
    let works = false;
    const { webhook, events } = webhookWith({
      answerAfterHandlers: true,
      handlers: { message: () => (works ? undefined : Promise.reject(new Error('away'))) },
    });
    const body = messages(text('1', ''));
    expect((await webhook.fetch(post(body))).status).toBe(500);
    works = true;
    expect((await webhook.fetch(post(body))).status).toBe(200);
    expect(events).toHaveLength(1);
  });

  it('are 503 while too much is waiting, but a delivery of any size is accepted when nothing is', async () => {
    const { promise, resolve } = deferred();
    const big = messages(text('big', 'x'.repeat(3 * MB)));
    const { webhook, events } = webhookWith({ onEvent: () => promise, maxWaitingBytes: 1_000 });
    expect((await webhook.fetch(post(big))).status).toBe(200);
    const refused = await webhook.fetch(post(messages(text('2', ''))));
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '5']);
    resolve();
    await webhook.idle();
    expect((await webhook.fetch(post(messages(text('2', ''))))).status).toBe(200);
    await webhook.close();
    expect(events).toEqual([]);
  });

  it('are 503 while handlers past their time limit hold too much', async () => {
    const { promise, resolve } = deferred();
    const { webhook } = webhookWith({ onEvent: () => promise, maxWaitingBytes: 100_000, handlerTimeoutMs: 10 });
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      statuses.push((await webhook.fetch(post(messages(text(`${n}`, 'x'.repeat(40_000)))))).status);
      await webhook.idle(); // It does not wait for them.
    }
    expect(statuses).toEqual([200, 200, 503, 503, 503]);
    resolve();
    await expect.poll(async () => (await webhook.fetch(post(messages(text('9', ''))))).status).toBe(200);
    await webhook.close();
  });

  it('are 200 even if the platform accepts no promise', async () => {
    const { webhook, events } = webhookWith({
      waitUntil: () => {
        throw new Error('not supported');
      },
    });
    expect((await webhook.fetch(post(messages(text('1', ''))))).status).toBe(200);
    await webhook.idle();
    expect(events).toHaveLength(1);
  });

  it('are 503 after close, which waits for work in progress', async () => {
    const seen: string[] = [];
    const { webhook } = webhookWith({ onEvent: async (event) => void seen.push(event.name, await takes(20, '')) });
    await webhook.fetch(post(messages(text('1', ''), text('2', ''))));
    const closed = webhook.close();
    expect((await webhook.fetch(post(messages(text('3', ''))))).status).toBe(503);
    await closed;
    expect(seen).toHaveLength(4);
  });

  it('a handler that never ends does not block the next one', async () => {
    const { send, events, errors } = webhookWith({
      handlers: { message: ({ message }) => (message.id === '1' ? new Promise(() => {}) : undefined) },
      handlerTimeoutMs: 30,
    });
    await send(messages(text('1', ''), text('2', '')));
    expect(events).toHaveLength(1);
    expect(String(errors)).toContain('took longer than 30 ms');
  });

  it('callbacks that throw change nothing', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    const { send, webhook } = webhookWith({
      onEvent: () => Promise.reject(new Error('a')),
      onError: () => {
        throw new Error('b');
      },
      onWarning: () => {
        throw new Error('c');
      },
      verifySignature: false,
    });
    expect(await send(messages(text('1', '')))).toBe(200);
    await webhook.close();
  });

  it.each([
    ['GET', '/webhooks/chats', 404],
    ['POST', '/', 404],
    ['POST', '/webhooks/chat/', 404],
    ['PUT', '/webhooks/chat', 405],
    ['DELETE', '/webhooks/chat', 405],
    ['HEAD', '/webhooks/chat', 405],
    ['OPTIONS', '/webhooks/chat', 405],
  ])('%s %s is %i', async (method, path, status) => {
    const { webhook } = webhookWith();
    const answer = await webhook.fetch(new Request(`https://shop.example${path}`, { method }));
    expect(answer.status).toBe(status);
    if (status === 405) expect(answer.headers.get('Allow')).toBe('GET, POST');
  });

  it('the path is configurable, or chosen by the router', async () => {
    const { webhook } = webhookWith({ path: '/hooks' });
    const request = () => post(messages(text('1', '')));
    expect((await webhook.fetch(request())).status).toBe(404);
    expect((await webhook.handle(request())).status).toBe(200);
    await webhook.close();
  });
});

describe('bodies', () => {
  it('of 3 MB are passed on', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => text(`wamid.${index}`, 'x'.repeat(3_050)));
    const { send, events } = webhookWith();
    const body = JSON.stringify(messages(...many));
    expect(body.length).toBeGreaterThan(3 * MB);
    expect(await send(body)).toBe(200);
    expect(events).toHaveLength(1_000);
  });

  it('that are larger than the limit are 413, with and without Content-Length', async () => {
    const { webhook, events } = webhookWith();
    const body = JSON.stringify(messages(text('1', 'x'.repeat(4 * MB))));
    const announced = await webhook.fetch(post(body, { 'Content-Length': String(body.length) }));
    expect(announced.status).toBe(413);
    expect((await webhook.fetch(post(body))).status).toBe(413);
    await webhook.idle();
    expect(events).toEqual([]);
  });

  it('that announce too much are 413 before anything is read', async () => {
    const { webhook } = webhookWith();
    const silent = new ReadableStream({});
    const headers = { 'X-Hub-Signature-256': signature(''), 'Content-Length': String(5 * MB) };
    const request = new Request(URL_OF_IT, { method: 'POST', body: silent, headers, duplex: 'half' });
    expect((await webhook.fetch(request)).status).toBe(413);
  });

  it('without an end are cut off at the limit', async () => {
    const { webhook } = webhookWith({ maxBodyBytes: 10_000 });
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(1_000));
      },
      cancel: () => {
        cancelled = true;
      },
    });
    const headers = { 'X-Hub-Signature-256': signature('') };
    const request = new Request(URL_OF_IT, { method: 'POST', body: endless, headers, duplex: 'half' });
    expect((await webhook.fetch(request)).status).toBe(413);
    expect(pulled).toBeLessThan(20);
    expect(cancelled).toBe(true);
  });

  it('that are cut off are 400', async () => {
    const { webhook, errors } = webhookWith();
    const broken = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new Uint8Array(10));
        controller.error(new Error('the connection is gone'));
      },
    });
    const headers = { 'X-Hub-Signature-256': signature('') };
    const request = new Request(URL_OF_IT, { method: 'POST', body: broken, headers, duplex: 'half' });
    expect((await webhook.fetch(request)).status).toBe(400);
    expect(errors).toEqual([]);
  });

  it('share a memory limit: beyond it they are 503', async () => {
    const { webhook } = webhookWith({ maxBodyBytes: 10_000 });
    const held: ReadableStreamDefaultController[] = [];
    const answers = Array.from({ length: 40 }, () => {
      const body = new ReadableStream({
        start: (controller) => {
          controller.enqueue(new Uint8Array(9_000));
          held.push(controller);
        },
      });
      const headers = { 'X-Hub-Signature-256': signature('') };
      return webhook.fetch(new Request(URL_OF_IT, { method: 'POST', body, headers, duplex: 'half' }));
    });
    await new Promise(setImmediate); // The bodies are being read.
    // Small bodies are still accepted: strangers cannot block the provider.
    const headers = { 'X-Hub-Signature-256': signature('{}') };
    const small = new Request(URL_OF_IT, { method: 'POST', body: '{}', headers });
    expect((await webhook.fetch(small)).status).toBe(200);
    for (const controller of held) {
      try {
        controller.close();
      } catch {
        // It was refused, so it is already cancelled.
      }
    }
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(40 - 8);
    expect(statuses.filter((status) => status === 401)).toHaveLength(8);
    // All of the memory is free again.
    expect((await webhook.fetch(post(messages(text('1', ''))))).status).toBe(200);
    await webhook.close();
  });

  it('that were already read are reported as such, not as forged', async () => {
    const { webhook, errors } = webhookWith();
    const request = post(messages(text('1', '')));
    await request.text();
    expect((await webhook.fetch(request)).status).toBe(500);
    expect(String(errors)).toContain('mount it before body parsers');
  });

  it.each(['', 'null?', '{', '[1,]', '\ufeff{', '{"a":\u0000}'])(
    'that are signed but no JSON (%j) are 400',
    async (body) => {
      const { send } = webhookWith();
      expect(await send(body)).toBe(400);
    },
  );

  it('that are signed but not UTF-8 are 400', async () => {
    const { webhook } = webhookWith();
    const body = Uint8Array.of(0x22, 0xff, 0xfe, 0x22);
    const headers = { 'X-Hub-Signature-256': signature(body) };
    expect((await webhook.fetch(new Request(URL_OF_IT, { method: 'POST', body, headers }))).status).toBe(400);
  });

  it.each([
    ['levels', (n: number) => `${'['.repeat(n)}1${']'.repeat(n)}`, 62, 500_000],
    ['levels', (n: number) => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`, 62, 500_000],
    ['values', (n: number) => `[${'null,'.repeat(n)}null]`, 199_000, 201_000],
    ['values', (n: number) => `[${'[],'.repeat(n)}[]]`, 99_000, 101_000],
  ])('of more %s than any delivery has are 400 (%#)', async (_, json, few, many) => {
    const { send, events, errors } = webhookWith();
    const body = (n: number) => `{"inventions":${json(n)}}`;
    expect([await send(body(few)), await send(body(many))]).toEqual([200, 400]);
    expect(events).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  it('with more events than the provider sends are passed on as one', async () => {
    const { send, events } = webhookWith();
    const body = delivery('messages', { messages: Array(20_001).fill(null) });
    expect(await send(body)).toBe(200);
    expect(events).toEqual([expect.objectContaining({ name: 'other', value: body })]);
  });

  it('with many contacts and messages look at each contact a few times', async () => {
    let looks = 0;
    const contacts = Array.from({ length: 1_000 }, (_, person) => ({
      get wa_id() {
        looks += 1;
        return `1${person}`;
      },
    }));
    const list = contacts.map((_, person) => text(`${person}`, '', `2${person}`));
    expect(await cloudEventsOf(delivery('messages', { contacts, messages: list }))).toHaveLength(1_000);
    expect(looks).toBeGreaterThanOrEqual(contacts.length);
    expect(looks).toBeLessThan(10 * contacts.length);
  });

  const entryWith = (part: object, n: number) => {
    const value = { messages: Array(n).fill(null), errors: Array(n).fill({ code: 1 }) };
    return { object: 'whatsapp_business_account', entry: [{ changes: [{ field: 'messages', value }], ...part }] };
  };
  it.each<[string, (n: number) => object]>([
    ['a long id of the account', (n) => entryWith({ id: 'x'.repeat(100 * n) }, n)],
    ['a long time', (n) => entryWith({ time: 'x'.repeat(100 * n) }, n)],
    [
      'a long id of the number',
      (n) =>
        delivery('messages', { metadata: { phone_number_id: 'x'.repeat(100 * n) }, messages: Array(n).fill(null) }),
    ],
  ])('with %s cost as much as they are long', async (_, body) => {
    const costOf = async (n: number) => {
      const given = body(n);
      const before = process.cpuUsage();
      await cloudEventsOf(given);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const few = Math.max(await costOf(500), await costOf(500), 5_000);
    expect(await costOf(5_000)).toBeLessThan(40 * few); // Quadratic would take 100 times as long.
  });
});

describe('any JSON', () => {
  it('is accepted, and passed on as one event or more', async () => {
    const { send, events, errors } = webhookWith();
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 6 }), async (body) => {
        events.length = 0;
        expect(await send(`{"unique":"${crypto.randomUUID()}","body":${body}}`)).toBe(200);
        expect(events.length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
    expect(errors).toEqual([]);
  });

  it('put anywhere into a documented delivery is accepted', async () => {
    const { send, errors, events } = webhookWith();
    const examples = [
      ...Object.values(messageExamples).map((one) => messages(one)),
      ...Object.values(statusExamples).map((one) => statuses(one)),
      ...Object.entries(fieldExamples).map(([field, value]) => delivery(field, value)),
    ].map((one) => JSON.parse(JSON.stringify(one)));
    const spoil = fc.record({
      example: fc.constantFrom(...examples),
      steps: fc.array(fc.nat(12), { maxLength: 12 }),
      value: fc.jsonValue({ maxDepth: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(spoil, async ({ example, steps, value }) => {
        expect(await send(spoiled(example, steps, value))).toBe(200);
      }),
      { numRuns: 500 },
    );
    expect(errors).toEqual([]);
    expect(new Set(events.map(({ name }) => name)).size).toBeGreaterThan(5);
  });
});

/** A copy with a value at the path given by the steps. */
function spoiled(json: object, steps: readonly number[], value: unknown): object {
  const copy = structuredClone(json);
  let at: Record<string, unknown> = copy as Record<string, unknown>;
  for (const step of steps) {
    const keys = Object.keys(at);
    const key = keys[step % keys.length];
    if (key === undefined) break;
    const next = at[key];
    if (typeof next !== 'object' || next === null || step === 12) {
      at[key] = value;
      break;
    }
    at = next as Record<string, unknown>;
  }
  return copy;
}

describe('settings', () => {
  const events: CloudEvent[] = [];
  const from = (environment: Record<string, string>) => {
    const errors: string[] = [];
    const warnings: string[] = [];
    const callbacks = {
      onError: (error: unknown) => errors.push(String(error)),
      onWarning: (text: string) => warnings.push(text),
    };
    return {
      webhook: cloudWebhookFromEnv(environment, { onEvent: (event) => events.push(event), ...callbacks }),
      errors,
      warnings,
    };
  };
  const body = messages(text('1', ''));

  it('come from the environment', async () => {
    const { webhook, errors, warnings } = from({ CHAT_VERIFY_TOKEN: 'v', CHAT_APP_SECRET: `new, ${SECRET}` });
    expect([errors, warnings]).toEqual([[], []]);
    expect((await webhook.fetch(post(body))).status).toBe(200);
    expect((await webhook.fetch(post(body, { 'X-Hub-Signature-256': 'sha256=0' }))).status).toBe(401);
    const query = 'hub.mode=subscribe&hub.verify_token=v&hub.challenge=c';
    expect((await webhook.fetch(new Request(`${URL_OF_IT}?${query}`))).status).toBe(200);
    await webhook.close();
  });

  it.each(['false', 'FALSE', '0', 'no'])('CHAT_VERIFY_SIGNATURE=%s accepts unsigned deliveries', async (written) => {
    const { webhook, errors, warnings } = from({ CHAT_VERIFY_TOKEN: 'v', CHAT_VERIFY_SIGNATURE: written });
    expect(warnings.join()).toContain('CHAT_VERIFY_SIGNATURE');
    expect(errors).toEqual([]);
    expect((await webhook.fetch(new Request(URL_OF_IT, { method: 'POST', body: '{}' }))).status).toBe(200);
    expect(warnings).toHaveLength(2);
    await webhook.close();
  });

  it.each(['true', 'Yes', '1', ''])('CHAT_VERIFY_SIGNATURE=%s verifies', async (written) => {
    const { webhook, errors } = from({ CHAT_VERIFY_SIGNATURE: written, CHAT_APP_SECRET: '' });
    expect(errors.join()).toContain('CHAT_APP_SECRET');
    expect((await webhook.fetch(post(body))).status).toBe(503);
  });

  it.each(['off', 'flase', '2'])('CHAT_VERIFY_SIGNATURE=%s is an error that names it', (written) => {
    expect(() => from({ CHAT_VERIFY_SIGNATURE: written })).toThrow(/^CHAT_VERIFY_SIGNATURE must be true, false/);
  });

  it('invalid options are TypeErrors', () => {
    expect(() => createCloudWebhook({ concurrency: 0 })).toThrow(TypeError);
    expect(() => createCloudWebhook({ maxBodyBytes: Number.NaN })).toThrow(TypeError);
  });
});
