import { createHmac, randomBytes } from 'node:crypto';
import { deferred, type EventName } from '@chat-web/protocol';
import { takes } from '@chat-web/testing';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { WebhookEvent } from './webhook-event.ts';
import { createWebhookReceiver, verifyWebhook, type WebhookReceiverOptions } from './webhook-receiver.ts';

const SECRET = `whsec_${Buffer.from('a key that is long enough').toString('base64')}`;
const OTHER = `whsec_${randomBytes(32).toString('base64')}`;
const URL_OF_IT = 'https://shop.example/hooks/chat';

const ACK = {
  type: 'message_ack',
  timestamp: '2026-11-22T08:15:30.123Z',
  session: 'main',
  data: { id: 'true_1', ack: 2 },
};
const now = () => Math.floor(Date.now() / 1_000);

interface Sent {
  readonly id?: string;
  readonly seconds?: number;
  readonly body?: string;
  readonly signature?: string;
  readonly secret?: string;
}

/** A delivery that the reference library signs. */
function post({
  id = 'e-1',
  seconds = now(),
  body = JSON.stringify(ACK),
  secret = SECRET,
  signature,
}: Sent = {}): Request {
  const signed = signature ?? new Webhook(secret).sign(id, new Date(seconds * 1_000), body);
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signed };
  return new Request(URL_OF_IT, { method: 'POST', body, headers });
}

function receiverWith(options: Partial<WebhookReceiverOptions> = {}) {
  const events: WebhookEvent[] = [];
  const errors: unknown[] = [];
  const { fetch } = createWebhookReceiver({
    secrets: SECRET,
    onEvent: (event) => events.push(event),
    onError: (error) => errors.push(error),
    ...options,
  });
  return { fetch, events, errors, send: async (sent?: Sent) => (await fetch(post(sent))).status };
}

describe('a delivery', () => {
  it('that the reference library has signed is passed on', async () => {
    const { send, events } = receiverWith();
    expect(await send()).toBe(204);
    expect(events).toEqual([
      { name: 'message_ack', id: 'e-1', at: ACK.timestamp, session: 'main', data: { id: 'true_1', ack: 2 } },
    ]);
  });

  it('as the standard describes it is accepted by the reference library and here', async () => {
    const body = JSON.stringify({ ...ACK, data: { id: 'Grüße \u{1F44D}', ack: 3 } });
    const seconds = String(now());
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const signature = `v1,${createHmac('sha256', key).update(`e-2.${seconds}.${body}`).digest('base64')}`;
    const headers = { 'webhook-id': 'e-2', 'webhook-timestamp': seconds, 'webhook-signature': signature };
    expect(new Webhook(SECRET).verify(body, headers)).toEqual(JSON.parse(body));
    expect(await verifyWebhook(headers, body, SECRET)).toMatchObject({ name: 'message_ack', data: { ack: 3 } });
    expect(await verifyWebhook(new Headers(headers), Buffer.from(body), [OTHER, SECRET])).toMatchObject({ id: 'e-2' });
  });

  it('may be signed with either of two secrets, by a sender that signs with two', async () => {
    const seconds = now();
    const signatures = [SECRET, OTHER].map((one) =>
      new Webhook(one).sign('e-1', new Date(seconds * 1_000), JSON.stringify(ACK)),
    );
    const signature = signatures.join(' ');
    for (const secrets of [SECRET, OTHER, [OTHER, SECRET]]) {
      expect(await receiverWith({ secrets }).send({ seconds, signature })).toBe(204);
    }
    expect(await receiverWith({ secrets: OTHER }).send()).toBe(401);
    expect(await receiverWith({ secrets: [OTHER, SECRET] }).send()).toBe(204);
    // An unknown scheme next to ours.
    expect(await receiverWith().send({ seconds, signature: `v1a,AAAA v2,BBBB ${signature}` })).toBe(204);
    expect(await receiverWith({ secrets: SECRET.slice('whsec_'.length) }).send()).toBe(204);
  });

  const [, right = ''] = new Webhook(SECRET).sign('e-1', new Date(now() * 1_000), JSON.stringify(ACK)).split(',');
  it.each<[string, Sent]>([
    ['of another secret', { secret: OTHER }],
    ['empty', { signature: '' }],
    ['without its version', { signature: right }],
    ['only of another version', { signature: `v1a,${right}` }],
    ['of another version that is signed as ours', { signature: `v2,${right}` }],
    ['in hex', { signature: `v1,${Buffer.from(right, 'base64').toString('hex')}` }],
    ['not base64', { signature: 'v1,?' }],
    ['cut off', { signature: `v1,${Buffer.from(right, 'base64').subarray(0, 31).toString('base64')}` }],
    [
      'too long',
      { signature: `v1,${Buffer.concat([Buffer.from(right, 'base64'), Buffer.alloc(1)]).toString('base64')}` },
    ],
    ['hidden behind many others', { signature: `${'v1,AAAA '.repeat(2_000)}v1,${right}` }],
    ['six minutes old', { seconds: now() - 360 }],
    ['six minutes in the future', { seconds: now() + 360 }],
    ['without an id', { id: '' }],
    ['with an endless id', { id: 'e'.repeat(1_000) }],
  ])('is 401 with a signature that is %s', async (_, sent) => {
    const { send, events } = receiverWith();
    expect(await send(sent)).toBe(401);
    expect(events).toEqual([]);
  });

  it('is 401 if anything signed was changed afterwards', async () => {
    const { fetch, events } = receiverWith();
    const changed: [string, string][] = [
      ['webhook-id', 'e-2'],
      ['webhook-timestamp', String(now() + 10)],
      ['webhook-timestamp', `${now()}.0`],
      ['webhook-timestamp', `-${now()}`],
      ['webhook-timestamp', 'NaN'],
      ['webhook-timestamp', ''],
    ];
    for (const [name, value] of changed) {
      const request = post();
      request.headers.set(name, value);
      expect((await fetch(request)).status).toBe(401);
    }
    const request = post();
    const body = `${JSON.stringify(ACK)} `; // The same JSON, in other bytes.
    expect((await fetch(new Request(URL_OF_IT, { method: 'POST', headers: request.headers, body }))).status).toBe(401);
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const without = post();
      without.headers.delete(name);
      expect((await fetch(without)).status).toBe(401);
    }
    expect(events).toEqual([]);
  });

  it('may be older if the application says so', async () => {
    expect(await receiverWith({ toleranceSeconds: 3_600 }).send({ seconds: now() - 1_800 })).toBe(204);
  });

  it.each(['', '{', '[]', '1', 'null', '{}', '{"type":1,"timestamp":"","data":1}'])(
    'that is signed but is no event (%j) is 400',
    async (body) => {
      const { send, events } = receiverWith();
      expect(await send({ body })).toBe(400);
      expect(events).toEqual([]);
    },
  );

  it('with more values or levels than any event has is 400', async () => {
    const { send, events } = receiverWith();
    const body = (data: string) => `{"type":"hologram","timestamp":"now","data":${data}}`;
    const [values, levels] = [`[${'0,'.repeat(200_000)}0]`, `${'['.repeat(64)}${']'.repeat(64)}`];
    expect([await send({ body: body(values) }), await send({ body: body(levels) })]).toEqual([400, 400]);
    expect(events).toEqual([]);
    expect(await send({ body: body(levels.slice(1, -1)) })).toBe(204);
  });

  it('of a new type, or with new data, is passed on as other', async () => {
    const { send, events } = receiverWith();
    await send({ id: '1', body: JSON.stringify({ ...ACK, type: 'hologram' }) });
    await send({ id: '2', body: JSON.stringify({ ...ACK, data: { id: 1 } }) });
    await send({ id: '3', body: JSON.stringify({ ...ACK, type: 'constructor' }) });
    expect(events).toMatchObject([
      { name: 'other', type: 'hologram', session: 'main', data: ACK.data },
      { name: 'other', type: 'message_ack', data: { id: 1 } },
      { name: 'other', type: 'constructor' },
    ]);
  });

  it('of a gap may concern all sessions', async () => {
    const { send, events } = receiverWith();
    const data = { reason: 'expired', from: 'e-1', to: null };
    expect(await send({ body: JSON.stringify({ type: 'gap', timestamp: ACK.timestamp, data }) })).toBe(204);
    expect(events).toMatchObject([{ name: 'gap', session: undefined, data }]);
  });

  it('is refused for its size or its method', async () => {
    const { fetch, send } = receiverWith({ maxBodyBytes: 1_000 });
    expect(await send({ body: JSON.stringify({ ...ACK, more: 'x'.repeat(1_000) }) })).toBe(413);
    for (const method of ['GET', 'PUT', 'HEAD', 'DELETE']) {
      const answer = await fetch(new Request(URL_OF_IT, { method }));
      expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'POST']);
    }
  });

  it('with any signed JSON is never 500', async () => {
    const { send, errors } = receiverWith();
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.json(), fc.uuid(), async (body, data, id) => {
        expect([204, 400]).toContain(await send({ id: `a${id}`, body }));
        const written = `{"type":"message","timestamp":"now","session":"main","data":${data}}`;
        expect(await send({ id: `b${id}`, body: written })).toBe(204);
      }),
      { numRuns: 200 },
    );
    expect(errors).toEqual([]);
  });

  it('with any headers is never 500', async () => {
    const { fetch, errors } = receiverWith();
    const value = fc.oneof(
      fc.string(),
      fc.constant('v1,'),
      fc.base64String().map((text) => `v1,${text}`),
    );
    await fc.assert(
      fc.asyncProperty(value, value, value, async (id, timestamp, signature) => {
        const request = post();
        for (const [name, text] of Object.entries({ id, timestamp, signature })) {
          request.headers.set(`webhook-${name}`, text.replace(/[^\x21-\x7e ]/g, ''));
        }
        expect((await fetch(request)).status).toBe(401);
      }),
      { numRuns: 300 },
    );
    expect(errors).toEqual([]);
  });
});

describe('a handler', () => {
  it('for any event gets those without a handler of their own', async () => {
    const names: string[] = [];
    const handlers = {
      message: (event: { readonly session: string }) => names.push(event.session),
      any: ({ name }: { readonly name: EventName }) => names.push(name),
    };
    const { send, events } = receiverWith({ handlers });
    await send({ id: '1' });
    await send({ id: '2', body: JSON.stringify({ ...ACK, type: 'hologram' }) });
    await send({ id: '3', body: JSON.stringify({ ...ACK, session: undefined }) }); // It must name its session.
    expect(names).toEqual(['message_ack']);
    expect(events.map(({ name }) => name)).toEqual(['message_ack', 'other', 'other']);
  });

  it('is typed by the name of the event', async () => {
    const acks: number[] = [];
    const { send } = receiverWith({
      handlers: {
        message_ack: ({ data }) => acks.push(data.ack),
        message: ({ data }) => data.body,
        other: ({ type }) => type,
        // @ts-expect-error: there is no such event.
        hologram: () => undefined,
      },
    });
    await send();
    expect(acks).toEqual([2]);
  });

  it('is awaited: the response is sent once it has settled', async () => {
    const order: string[] = [];
    const { send } = receiverWith({ onEvent: async () => void order.push(await takes(20, 'handled')) });
    await send();
    order.push('answered');
    expect(order).toEqual(['handled', 'answered']);
  });

  it('that fails is 500, and is called again by the retry; then no more', async () => {
    let calls = 0;
    const { send, errors } = receiverWith({
      handlers: {
        message_ack: () => {
          calls += 1;
          if (calls === 1) throw new Error('the database is away');
        },
      },
    });
    expect([await send(), await send(), await send(), await send({ id: 'e-2' })]).toEqual([500, 204, 204, 204]);
    expect(calls).toBe(3);
    expect(String(errors)).toBe('Error: the database is away');
  });

  it('that takes too long is 500; the retry joins it, and gets its response when it is done', async () => {
    let calls = 0;
    const { promise: done, resolve: finish } = deferred();
    const { send } = receiverWith({
      handlerTimeoutMs: 30,
      onEvent: () => {
        calls += 1;
        return done;
      },
    });
    expect(await send()).toBe(500);
    expect(await send()).toBe(500);
    finish();
    expect([await send(), calls]).toEqual([204, 1]);
  });

  it('that never ends does not fill the memory: too many are 503', async () => {
    let calls = 0;
    const { send } = receiverWith({
      handlerTimeoutMs: 1,
      onEvent: () => {
        calls += 1;
        return new Promise(() => {});
      },
    });
    const statuses = new Set<number>();
    for (let index = 0; index < 1_000; index += 1) statuses.add(await send({ id: `e-${index}` }));
    expect([...statuses]).toEqual([500]);
    const quick = receiverWith({ handlerTimeoutMs: 1 });
    expect(await quick.send()).toBe(204);
    expect([await send({ id: 'one more' }), calls]).toEqual([503, 1_000]);
  }, 30_000);

  it('leaves events that this version cannot read at the gateway, unless `other` accepts them', async () => {
    const body = JSON.stringify({ ...ACK, data: { id: 5 } });
    const named: unknown[] = [];
    const handlers = { message_ack: (event: unknown) => named.push(event), any: (event: unknown) => named.push(event) };
    const strict = receiverWith({ handlers, onEvent: undefined });
    expect([await strict.send({ body }), strict.errors.length, named]).toEqual([500, 1, []]);
    const other: WebhookEvent[] = [];
    const lenient = receiverWith({ handlers: { other: (event) => other.push(event) }, onEvent: undefined });
    expect(await lenient.send({ body })).toBe(204);
    expect(other).toMatchObject([{ name: 'other', type: 'message_ack', data: { id: 5 } }]);
  });

  it('is not called for events that another process has handled', async () => {
    const ids = new Set<string>();
    const seen = { has: (id: string) => ids.has(id), add: (id: string) => void ids.add(id) };
    const [first, second] = [receiverWith({ seen }), receiverWith({ seen })];
    expect([await first.send(), await second.send()]).toEqual([204, 204]);
    expect([first.events.length, second.events.length]).toEqual([1, 0]);
  });
});

describe('verifyWebhook', () => {
  it('rejects with a code, and repeats nothing from the request', async () => {
    const { headers } = post();
    await expect(verifyWebhook(headers, 'another body', SECRET)).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(verifyWebhook({}, JSON.stringify(ACK), SECRET)).rejects.toMatchObject({ code: 'unauthorized' });
    const list = post({ body: '[]' });
    await expect(verifyWebhook(list.headers, '[]', SECRET)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it.each([[''], ['whsec_'], ['whsec_?'], [[]], [['whsec_']]])(
    'a secret that is none (%j) is a TypeError',
    async (secrets) => {
      expect(() => createWebhookReceiver({ secrets })).toThrow(TypeError);
      await expect(verifyWebhook({}, '', secrets)).rejects.toThrow(TypeError);
    },
  );
});
