import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EXAMPLE_PNG } from '@chat-web/protocol';
import { ADA, BEN, eventually, listening } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { N8n } from './n8n.ts';

const INSTALL = resolve('build/n8n');
const session = 'main';
const TOKEN = 'the-operators-token';

let stack: Stack;
let n8n: N8n;
let folder: string;
let credential: { readonly id: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chat-web-n8n-'));
  n8n = await N8n.open(INSTALL, folder);
  stack = new Stack({
    settings: {
      CHAT_WEB_TOKEN: TOKEN,
      CHAT_WEB_WEBHOOK_HOSTS: new URL(n8n.url).host,
      CHAT_WEB_WEBHOOK_RETRY_SECONDS: '1,1,2,2,3,3,4,4,5,5,6,6,7,7,8,8,9,9,10,10',
    },
  });
  await stack.open();
  await stack.link(session, ADA);
  const { key } = await stack.client.createKey({ name: 'n8n', sessions: [session], scope: 'manage' });
  credential = await n8n.rest('POST', '/credentials', {
    name: 'Gateway',
    type: 'chatWebApi',
    data: { url: stack.gateway.url, apiKey: key },
  });
});
afterAll(async () => {
  await n8n?.kill();
  await stack?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const credentials = () => ({ chatWebApi: { id: credential.id, name: 'Gateway' } });
const ofMode = (value: string) => ({ __rl: true, mode: 'id', value });

interface Workflow {
  readonly id: string;
  readonly versionId: string;
}

/** A workflow of a trigger and what follows it. */
async function createWorkflow(trigger: object, ...actions: readonly object[]): Promise<Workflow> {
  const nodes = [
    {
      id: 'n0',
      name: 'On message',
      type: 'CUSTOM.chatWebTrigger',
      webhookId: crypto.randomUUID(),
      parameters: trigger,
    },
    ...actions.map((parameters, at) => ({
      id: `n${at + 1}`,
      name: `Step ${at + 1}`,
      type: 'CUSTOM.chatWeb',
      parameters,
    })),
  ].map((node, at) => ({ typeVersion: 1, position: [at * 200, 0], credentials: credentials(), ...node }));
  const names = nodes.map(({ name }) => name);
  const connections = Object.fromEntries(
    names.slice(0, -1).map((name, at) => [name, { main: [[{ node: names[at + 1], type: 'main', index: 0 }]] }]),
  );
  return n8n.rest('POST', '/workflows', { name: 'Answers', nodes, connections, settings: { executionOrder: 'v1' } });
}
const webhooks = async () => (await stack.client.listWebhooks()).webhooks;
/** n8n registers and removes webhooks after it has answered. */
async function activate({ id, versionId }: Workflow): Promise<void> {
  await n8n.rest('POST', `/workflows/${id}/activate`, { versionId });
  await untilActive();
}
/** n8n answers at the URL of the webhook: what it refuses is not signed. */
const untilActive = () =>
  eventually(async () => {
    const [webhook, ...others] = await webhooks();
    expect(others).toEqual([]);
    expect((await fetch(webhook?.url ?? '', { method: 'POST' })).status).toBe(401);
  });
async function deactivate({ id }: Workflow): Promise<void> {
  await n8n.rest('POST', `/workflows/${id}/deactivate`, {});
  await eventually(async () => expect(await webhooks()).toEqual([]));
}

const trigger = { events: ['message'], sessions: session, acknowledge: 'lastNode', options: { from: 'others' } };
const reply = {
  resource: 'message',
  operation: 'sendText',
  session: ofMode(session),
  to: ofMode('={{ $json.data.from }}'),
  body: '=Re: {{ $json.data.body }}',
  options: { quotedMessageId: '={{ $json.data.id }}' },
};

it('checks the credential', async () => {
  const check = (data: object) =>
    n8n.rest<{ status: string }>('POST', '/credentials/test', {
      credentials: { id: credential.id, name: 'Gateway', type: 'chatWebApi', data },
    });
  const { key } = await stack.client.createKey({ name: 'test', sessions: [session], scope: 'read' });
  expect(await check({ url: `${stack.gateway.url}/`, apiKey: key })).toMatchObject({ status: 'OK' });
  expect(await check({ url: stack.gateway.url, apiKey: 'wrong' })).toMatchObject({ status: 'Error' });
});

it('answers each message once, while n8n and the gateway are killed; deactivated, it leaves no webhook', async () => {
  const workflow = await createWorkflow(trigger, reply);
  await activate(workflow);
  expect(await webhooks()).toMatchObject([{ sessions: [session], events: ['message'], from: 'others' }]);
  const sent: string[] = [];
  const send = async (body: string) => {
    await stack.phones.send(BEN, { to: ADA, body });
    sent.push(body);
  };
  for (let round = 0; round < 5; round += 1) {
    for (let n = 0; n < 4; n += 1) await send(`question ${round}.${n}`);
    await delay(round * 60); // Each round, at another moment of the answers.
    if (round % 2 === 0) {
      await n8n.kill();
      await send(`question ${round} while n8n is down`);
      await n8n.start();
    } else {
      process.kill(stack.gateway.pid, 'SIGKILL');
      await stack.gateway.end();
      await send(`question ${round} while the gateway is down`);
      await stack.restartGateway({ CHAT_WEB_PORT: new URL(stack.gateway.url).port });
      await stack.untilStatus(session, 'ready');
    }
  }
  const answers = async () => (await stack.phones.messages(BEN)).filter(({ body }) => body?.startsWith('Re: '));
  await eventually(async () => expect(await answers()).toHaveLength(sent.length));
  await delay(12_000); // As long as another attempt takes.
  expect((await answers()).map(({ body }) => body).sort()).toEqual(sent.map((body) => `Re: ${body}`).sort());
  expect((await answers()).every(({ quotedBody, body }) => body === `Re: ${quotedBody}`)).toBe(true);
  await deactivate(workflow);
});

it('leaves no second webhook if n8n is killed', async () => {
  const workflow = await createWorkflow(trigger, reply);
  await activate(workflow);
  await n8n.kill();
  await n8n.start();
  await untilActive();
  await deactivate(workflow);
});

it('downloads media, sends them on, reacts and edits; a raw call is made', async () => {
  const sendMedia = {
    ...reply,
    operation: 'sendMedia',
    kind: 'image',
    binaryProperty: 'data',
    options: { caption: 'the same' },
    to: ofMode(BEN),
  };
  const react = { ...reply, operation: 'react', messageId: "={{ $('On message').item.json.data.id }}", emoji: '👍' };
  const raw = { resource: 'raw', operation: 'call', method: 'GET', path: `/sessions/${session}/chats?search=${BEN}` };
  const send = { ...reply, to: ofMode(BEN), body: '={{ $json.id }}', options: {} };
  const edit = { ...reply, operation: 'edit', messageId: '={{ $json.id }}', body: '=edited {{ $json.body }}' };
  const workflow = await createWorkflow({ ...trigger, options: { download: true } }, sendMedia, react, raw, send, edit);
  await activate(workflow);
  await stack.phones.send(BEN, { to: ADA, media: { kind: 'image', base64: EXAMPLE_PNG, mimeType: 'image/png' } });
  await eventually(async () => {
    const received = await stack.phones.messages(BEN);
    expect(received.find(({ body, type }) => type === 'image' && body === 'the same')).toBeDefined();
    expect(received.find(({ body }) => body === `edited ${BEN}@c.us`)).toBeDefined();
    expect(received.some(({ reactions }) => reactions?.some(({ emoji }) => emoji === '👍'))).toBe(true);
  });
  await deactivate(workflow);
});

it.each(['@HOST/x', '.HOST/x', '//HOST/x', '/\\HOST/x', 'HOST/x'])(
  'sends the key to no other host: %s',
  async (path) => {
    let requests = 0;
    const other = createServer((_, response) => {
      requests += 1;
      response.end('{}');
    });
    const host = `127.0.0.1:${await listening(other)}`;
    const raw = { resource: 'raw', operation: 'call', method: 'GET', path: path.replace('HOST', host) };
    const workflow = await createWorkflow({ ...trigger, acknowledge: 'onReceived', sessions: '' }, raw);
    await activate(workflow);
    await stack.phones.send(BEN, { to: ADA, body: 'call it' });
    await eventually(async () => {
      const filter = encodeURIComponent(JSON.stringify({ workflowId: workflow.id }));
      const { results } = await n8n.rest<{ results: { status: string }[] }>('GET', `/executions?filter=${filter}`);
      expect(results).toMatchObject([{ status: 'error' }]);
    });
    expect(requests).toBe(0);
    await deactivate(workflow);
    other.close();
  },
);

it('refuses what is not signed', async () => {
  const workflow = await createWorkflow(trigger, reply);
  await activate(workflow);
  const [{ url = '' } = {}] = await webhooks();
  const body = JSON.stringify({ type: 'message', session, data: { id: 'x', from: BEN, body: 'forged' } });
  const headers = {
    'webhook-id': '1',
    'webhook-timestamp': String(Date.now() / 1_000),
    'webhook-signature': 'v1,AAAA',
  };
  const answer = await fetch(url, {
    method: 'POST',
    body,
    headers: { ...headers, 'Content-Type': 'application/json' },
  });
  expect(answer.status).toBe(401);
  await deactivate(workflow);
});
