import { createServer } from 'node:http';
import { listen } from '@chat-web/host';
import { ADA, BEN, listening } from '@chat-web/testing';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, expect, it } from 'vitest';

const stack = sharedStack({ settings: { CHAT_WEB_WEBHOOK_HOSTS: '127.0.0.1' } });
const posted: { type: string; metadata?: object }[] = [];
let url: string;

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += String(piece);
    posted.push(JSON.parse(text));
    response.writeHead(204).end();
  });
  url = `http://127.0.0.1:${await listening(server)}/events`;
  return () => void server.close();
});

const shown = async () => (await stack.client.getSessionStatus({ id: 'main' })).metadata;

it('is set at the start, and is shown with the session, on its events and in its webhooks', async () => {
  const metadata = { customer: '4711', team: 'north' };
  await stack.client.startSession({ id: 'main', metadata });
  expect(await shown()).toEqual(metadata);
  await stack.link('main', ADA);
  await stack.client.createWebhook({ url, events: ['message'] });
  const listener = listen(stack.address, { events: ['message'] });
  const first = listener[Symbol.asyncIterator]();
  const received = first.next();
  const { sessions } = await stack.client.listSessions();
  expect(sessions).toMatchObject([{ id: 'main', metadata }]);
  await expect
    .poll(async () => {
      await stack.phones.send(BEN, { to: ADA, body: 'hello' });
      return posted.filter(({ type }) => type === 'message').at(-1)?.metadata;
    })
    .toEqual(metadata);
  expect((await received).value).toMatchObject({ name: 'message', session: 'main', metadata });
  await listener.stop();
});

it('is replaced as a whole, also by a start of a session that runs, and survives kills of the gateway', async () => {
  expect(await stack.client.setSessionMetadata({ id: 'main', metadata: { team: 'south' } })).toEqual({
    id: 'main',
    metadata: { team: 'south' },
  });
  expect(await shown()).toEqual({ team: 'south' });
  await stack.client.startSession({ id: 'main', metadata: { team: 'west' } });
  await stack.client.startSession({ id: 'main' });
  process.kill(stack.gateway.pid, 'SIGKILL');
  await stack.gateway.exited;
  await stack.restartGateway();
  await stack.untilStatus('main', 'ready');
  expect(await shown()).toEqual({ team: 'west' });
});

it('is refused for an unknown session, and with more than 20 pairs: nothing is changed', async () => {
  await expect(stack.client.setSessionMetadata({ id: 'nobody', metadata: {} })).rejects.toMatchObject({
    code: 'session_not_found',
  });
  const metadata = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`n${n}`, 'x']));
  await expect(stack.client.startSession({ id: 'main', metadata })).rejects.toMatchObject({
    issues: [{ path: 'metadata' }],
  });
  expect(await shown()).toEqual({ team: 'west' });
});

it('ends with the session', async () => {
  await stack.client.deleteSession({ id: 'main' });
  await stack.client.startSession({ id: 'main' });
  expect(await shown()).toBeUndefined();
});
