import { createServer } from 'node:http';
import { verifyWebhook } from '@chat-web/host';
import { ADA, BEN, eventually, listening } from '@chat-web/testing';
import { ConsolePage } from '@chat-web/testing/browser';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, expect, it } from 'vitest';

const TOKEN = 'the-operators-token';

interface Posted {
  readonly headers: Headers;
  readonly body: string;
}

const stack = sharedStack({
  settings: {
    CHAT_WEB_TOKEN: TOKEN,
    CHAT_WEB_WEBHOOK_HOSTS: '127.0.0.1',
    CHAT_WEB_WEBHOOK_RETRY_SECONDS: '2,5',
  },
});
let seen: ConsolePage;
let url: string;
/** The response of the application. */
let answers = 204;
const posted: Posted[] = [];

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    posted.push({ headers, body: Buffer.concat(parts).toString() });
    response.writeHead(answers).end();
  });
  url = `http://127.0.0.1:${await listening(server)}/events`;
  await stack.link('main', ADA);
  seen = await ConsolePage.open({ url: stack.gateway.url, token: TOKEN });
  return async () => {
    await seen[Symbol.asyncDispose]();
    server.close();
  };
});

/** A secret as the page shows it. */
const shownSecret = async () =>
  (await seen.page
    .locator('.secret')
    .map((code) => code.textContent)
    .wait()) ?? '';
const bodies = () => posted.map(({ body }) => body);
const say = (body: string) => stack.phones.send(BEN, { to: ADA, body });

it('creates a webhook, which receives what phones send, signed with the secret that was shown', async () => {
  await seen.show('#/webhooks');
  await seen.untilShown('There is no webhook yet.');
  await seen.expectFit('no-webhooks');
  await seen.press('New webhook');
  await seen.fill('URL', 'https://10.0.0.1/');
  await seen.fill('Sessions', 'main');
  await seen.page.locator('label ::-p-text(a message was delivered)').click();
  await seen.fill('Header Authorization', 'Bearer of-the-app');
  await seen.expectFit('new-webhook');
  await seen.press('Create webhook');
  await seen.untilShown('422 url_not_allowed');
  await seen.fill('URL', url);
  await seen.press('Create webhook');
  await seen.untilShown('It is not shown again.');
  const secret = await shownSecret();
  await seen.expectFit('webhook-secret');
  await seen.press('I have stored it');

  await say('Hello <b>there</b>');
  await eventually(() => expect(bodies().at(-1)).toContain('Hello <b>there</b>'));
  const { headers = new Headers(), body = '' } = posted.at(-1) ?? {};
  expect(await verifyWebhook(headers, body, secret)).toMatchObject({ name: 'message', session: 'main' });
  expect(headers.get('authorization')).toBe('Bearer of-the-app');
  await seen.untilShown(/Active.*main.*(now|s ago)/s);
  await seen.press(url, 'link');
  await seen.untilShown(/Events\s+ready, message, disconnected, passkey_required, gap\s+Headers\s+Authorization/);
  await seen.untilShown(/Last deliveries.*Delivered\s+message/s);
});

it('sends a test event, and shows why one fails', async () => {
  await seen.press('Send a test');
  await seen.untilShown(/The test was delivered in \d+ ms/);
  answers = 500;
  await seen.press('Send a test');
  await seen.untilShown(/The test was not delivered: the endpoint returned 500/);
});

it('shows that it fails and why, and redelivers a dead letter', async () => {
  await say('refused');
  await seen.untilShown(/Failing.*the endpoint returned 500.*Next attempt/s);
  await seen.expectFit('webhook-failing');
  await seen.untilShown(/Dead letters\s+Deliver 1 again/);
  await seen.untilShown(/Last deliveries.*Failed\s+message/s);
  await seen.expectFit('webhook-dead-letter');
  answers = 204;
  const before = posted.length;
  await seen.press('Deliver 1 again');
  await seen.untilShown('1 event being delivered');
  await eventually(() => expect(bodies().slice(before).join()).toContain('refused'));
  await seen.untilShown('There are no dead letters.');
});

it('replays all stored events', async () => {
  const before = posted.length;
  await seen.press('Replay …');
  await seen.expectFit('replay-webhook');
  await seen.press('Replay');
  await eventually(() => expect(bodies().slice(before).join()).toMatch(/Hello <b>there<\/b>.*refused/s));
});

it('rotates its secret, which is shown once', async () => {
  await seen.press('Rotate the secret …');
  await seen.press('Rotate');
  const secret = await shownSecret();
  await seen.press('I have stored it');
  await say('signed anew');
  await eventually(() => expect(bodies().at(-1)).toContain('signed anew'));
  const { headers = new Headers(), body = '' } = posted.at(-1) ?? {};
  expect(await verifyWebhook(headers, body, secret)).toMatchObject({ name: 'message' });
});

it('changes its events, and enables it again after the endpoint was gone', async () => {
  await seen.press('Change …');
  await seen.page.locator('label ::-p-text(each change of a session)').click();
  await seen.expectFit('change-webhook');
  await seen.press('Save');
  await seen.untilShown(/Events\s+ready, message, disconnected, passkey_required, status, gap/);
  answers = 410;
  await say('gone');
  await seen.untilShown(/Disabled.*it wants no more events/s);
  await seen.expectFit('webhook-disabled');
  answers = 204;
  await seen.press('Enable');
  await seen.untilShown(/Active/);
  await eventually(() => expect(bodies().at(-1)).toContain('gone'));
});

it('deletes it', async () => {
  await seen.press('Delete …');
  await seen.press('Delete');
  await seen.untilShown('There is no webhook yet.');
  expect(await stack.client.listWebhooks()).toEqual({ webhooks: [] });
  await seen.show('#/webhooks/wh_0123456789ab');
  await seen.untilShown('There is no such webhook.');
  expect(seen.harm).toEqual([]);
});
