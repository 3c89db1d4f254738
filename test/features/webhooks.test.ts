import { createClient, createWebhookReceiver, sendText, type WebhookEvent } from '@chat-web/host';
import type { EventName } from '@chat-web/protocol';
import { ADA, BEN, listening, rawRequest } from '@chat-web/testing';
import { stanzaOf } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { createAdaptorServer } from '@hono/node-server';
import { beforeAll, describe, expect, it } from 'vitest';

const TOKEN = 'sesame';
const events: WebhookEvent[] = [];
const secrets: string[] = [];
const errors: unknown[] = [];

/** Handlers of other paths. */
const others = new Map<string, (request: Request) => Promise<Response>>();

const stack = sharedStack({
  settings: {
    CHAT_WEB_TOKEN: TOKEN,
    CHAT_WEB_WEBHOOK_HOSTS: '127.0.0.1',
    CHAT_WEB_WEBHOOK_RETRY_SECONDS: '1,1',
  },
});
let url: string;
/** The status with which the application answers; undefined: the response of the receiver. */
let instead: number | undefined;

beforeAll(async () => {
  // Like an application, which gets its secret when it creates the webhook.
  const receive = (request: Request) =>
    createWebhookReceiver({
      secrets,
      onEvent: (event) => events.push(event),
      onError: (error) => errors.push(error),
    }).fetch(request);
  const server = createAdaptorServer({
    fetch: (request) => {
      const other = others.get(new URL(request.url).pathname);
      if (other) return other(request);
      return instead === undefined ? receive(request) : new Response(null, { status: instead });
    },
  });
  url = `http://127.0.0.1:${await listening(server)}/events`;
  await stack.link('main', ADA);
  return () => void server.close();
});

describe('a webhook', () => {
  it('delivers what phones send to the application, typed and signed', async () => {
    const { id, secret } = await stack.client.createWebhook({ url, sessions: ['main'], events: ['message'] });
    secrets.push(secret);
    expect(await stack.client.testWebhook({ webhookId: id })).toMatchObject({ id, ok: true });
    await stack.phones.send(BEN, { to: ADA, body: 'Hello' });
    await expect
      .poll(() => events)
      .toMatchObject([
        { name: 'other', type: 'test' },
        { name: 'message', session: 'main', data: { body: 'Hello', fromMe: false } },
      ]);
    expect(events[1]?.id).toMatch(/^[0-9a-f]{12}-\d+$/);
    expect(errors).toEqual([]);
  });

  it('continues with a new secret, and after a kill of the gateway', async () => {
    const [{ id = '' } = {}] = (await stack.client.listWebhooks()).webhooks;
    const { secret } = await stack.client.rotateWebhookSecret({ webhookId: id });
    await stack.phones.send(BEN, { to: ADA, body: 'signed with both' });
    await expect.poll(() => events.at(-1)).toMatchObject({ data: { body: 'signed with both' } });
    secrets.splice(0, 1, secret);
    process.kill(stack.gateway.pid, 'SIGKILL');
    await stack.gateway.exited;
    await stack.phones.send(BEN, { to: ADA, body: 'sent meanwhile' });
    await stack.restartGateway();
    await expect.poll(() => events.at(-1)).toMatchObject({ data: { body: 'sent meanwhile' } });
    expect(errors).toEqual([]);
  });

  it('keeps what the application refuses as dead letters, and delivers these on request', async () => {
    const [{ id: webhookId = '' } = {}] = (await stack.client.listWebhooks()).webhooks;
    instead = 500;
    await stack.phones.send(BEN, { to: ADA, body: 'refused' });
    const letters = async () => (await stack.client.listDeadLetters({ webhookId })).deadLetters;
    await expect
      .poll(letters)
      .toMatchObject([{ event: 'message', session: 'main', attempts: 3, message: 'the endpoint returned 500' }]);
    expect(await stack.client.getWebhook({ webhookId })).toMatchObject({
      status: 'active',
      waiting: 0,
      deadLetters: 1,
      lastFailure: { message: 'the endpoint returned 500' },
    });
    expect((await stack.client.listDeliveries({ webhookId })).deliveries.slice(0, 3)).toMatchObject(
      Array.from({ length: 3 }, () => ({ event: 'message', session: 'main', message: 'the endpoint returned 500' })),
    );
    instead = undefined;
    expect(await stack.client.replayDeadLetters({ webhookId })).toEqual({ id: webhookId, replaying: 1 });
    await expect.poll(letters).toEqual([]);
    expect(events.at(-1)).toMatchObject({ data: { body: 'refused' } });
    expect(await stack.client.getWebhook({ webhookId })).toMatchObject({ status: 'active' });
  });

  it('appears in the metrics, the audit and the log, without its secret and its url', async () => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const { text } = await rawRequest(stack.gateway.url, { path: '/metrics', headers });
    expect(text).toMatch(/chat_web_webhook_attempts_total\{webhook="wh_\w+",outcome="delivered"\} [1-9]/);
    expect(text).toMatch(/chat_web_webhooks\{status="active"\} 1/);
    const lines = stack.gateway.log.join('\n');
    expect(lines).toMatch(/"operation":"replayDeadLetters".*"webhook":"wh_\w+"/);
    expect(lines).toContain('event became a dead letter');
    expect(lines).not.toMatch(/whsec_|\/events"|Hello|refused"/);
  });
});

describe('a key', () => {
  it('creates webhooks of its own sessions, which end with it, even after the operator has changed them', async () => {
    const { key, id: keyId } = await stack.client.createKey({ name: 'shop', sessions: ['shop-*'], scope: 'manage' });
    const shop = createClient({ ...stack.address, token: key });
    expect(await shop.listWebhooks()).toEqual({ webhooks: [] });
    await expect(shop.createWebhook({ url, sessions: ['main'] })).rejects.toMatchObject({ code: 'session_not_found' });
    const { id } = await shop.createWebhook({ url });
    expect(await shop.getWebhook({ webhookId: id })).toMatchObject({ sessions: ['shop-*'], status: 'active' });
    const [{ id: foreign = '' } = {}] = (await stack.client.listWebhooks()).webhooks;
    await expect(shop.deleteWebhook({ webhookId: foreign })).rejects.toMatchObject({ code: 'webhook_not_found' });
    const change = { webhookId: id, url, sessions: ['shop-*'] };
    await stack.client.updateWebhook({ ...change, events: ['ready'] });
    await stack.client.deleteKey({ keyId });
    await expect
      .poll(() => stack.client.getWebhook({ webhookId: id }))
      .toMatchObject({ status: 'disabled', reason: 'no_access' });
    expect(await stack.client.updateWebhook(change)).toMatchObject({ status: 'active' });
    expect(await stack.client.deleteWebhook({ webhookId: id })).toEqual({ id, status: 'removed' });
  });
});

describe('an event that has to be named', () => {
  it('is delivered to the webhook that names it, and not to the one that names none', async () => {
    const inbox = async (path: string, named: { readonly events?: EventName[] }) => {
      const received: WebhookEvent[] = [];
      const { id, secret } = await stack.client.createWebhook({ url: new URL(path, url).href, ...named });
      others.set(path, createWebhookReceiver({ secrets: [secret], onEvent: (event) => received.push(event) }).fetch);
      return { id, names: () => received.map(({ name }) => name), received };
    };
    const [named, plain] = [await inbox('/named', { events: ['message_reaction'] }), await inbox('/plain', {})];
    const { id: messageId } = await sendText(stack.client, { id: 'main', type: 'text', to: BEN, body: 'good?' });
    await stack.onPhone(BEN, messageId);
    await stack.phones.react(BEN, { messageId: stanzaOf(messageId), emoji: '👍' });
    await expect.poll(named.names).toEqual(['message_reaction']);
    expect(named.received).toMatchObject([{ session: 'main', data: { messageId, from: `${BEN}@c.us`, emoji: '👍' } }]);
    // A later event has been delivered, so the plain webhook no longer gets this one.
    await stack.phones.send(BEN, { to: ADA, body: 'very good' });
    await expect.poll(plain.names).toContain('message');
    expect(plain.names()).not.toContain('message_reaction');
    expect(named.names()).toEqual(['message_reaction']);
    for (const { id } of [named, plain]) await stack.client.deleteWebhook({ webhookId: id });
  });
});

describe('an invalid webhook', () => {
  const ids = async () => (await stack.client.listWebhooks()).webhooks.map(({ id }) => id);

  it.each([
    [{ url: 'ftp://127.0.0.1/' }, 'invalid_request'],
    [{ url: 'http://me:secret@127.0.0.1/' }, 'invalid_request'],
    [{ url: 'http://127.0.0.1/#x' }, 'invalid_request'],
    [{ url: 'https://10.0.0.1/' }, 'url_not_allowed'],
    [{ url: 'http://93.184.216.34/' }, 'url_not_allowed'],
    [{ url: 'http://127.0.0.1/', event: ['message'] }, 'invalid_request'],
    [{ url: 'http://127.0.0.1/', events: ['qr'] }, 'invalid_request'],
    [{ url: 'http://127.0.0.1/', events: [] }, 'invalid_request'],
    [{ url: 'http://127.0.0.1/', after: 'yesterday' }, 'invalid_request'],
  ])('%j is refused, without its secret in the response', async (body, code) => {
    const before = await ids();
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const answer = await rawRequest(stack.gateway.url, {
      method: 'POST',
      path: '/webhooks',
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.body.code).toBe(code);
    expect(answer.text).not.toContain('secret@');
    if ('event' in body)
      expect(answer.body.issues).toEqual([{ path: 'event', message: 'is unknown; did you mean events?' }]);
    expect(await ids()).toEqual(before);
  });
});
