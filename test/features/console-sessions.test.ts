import { ADA, BEN, eventually, workersOf } from '@chat-web/testing';
import { ConsolePage } from '@chat-web/testing/browser';
import { readQr } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, expect, it } from 'vitest';

const TOKEN = 'the-operators-token';

const stack = sharedStack({ settings: { CHAT_WEB_TOKEN: TOKEN } });
let seen: ConsolePage;

beforeAll(async () => {
  seen = await ConsolePage.open({ url: stack.gateway.url });
  return () => seen[Symbol.asyncDispose]();
});

/** The QR on the page. */
const shownQr = () =>
  eventually(async () => readQr((await seen.page.$eval('.qr img', (image) => image.getAttribute('src'))) ?? ''));

it('asks for a token, and says why one is refused', async () => {
  await seen.expectFit('sign-in');
  await seen.fill('Token or key of the gateway', `${TOKEN}x`);
  await seen.press('Sign in');
  await seen.untilShown(/401 unauthorized/);
  await seen.signIn(TOKEN);
  await seen.untilShown('There is no session yet.');
  await seen.expectFit('no-sessions');
});

it('links a new session by the QR on the page', async () => {
  await seen.press('New session');
  await seen.fill('Id', 'main');
  await seen.press('Start');
  await seen.untilShown('To be linked');
  const first = await shownQr();
  await seen.expectFit('session-qr');
  await stack.phones.scan(ADA, first);
  await seen.untilShown(/\nReady\n/);
  await seen.untilShown(ADA);
  expect(seen.page.url()).toMatch(/#\/sessions\/main$/);
});

it('always shows the newest QR', async () => {
  await stack.phones.configure({ qrFirstMs: 3_000, qrIntervalMs: 3_000 });
  await stack.client.startSession({ id: 'spare' });
  await seen.show('#/sessions/spare');
  const first = await shownQr();
  await eventually(async () => expect(await shownQr()).not.toBe(first));
  await stack.phones.scan(BEN, await shownQr());
  await seen.untilShown(/\nReady\n/);
});

it('shows that a worker was killed, why, and that it has recovered, without a reload', async () => {
  await seen.show('#/sessions/main');
  await seen.untilShown(/\nReady\n/);
  await seen.page.evaluate('window.isSame = true');
  for (const pid of workersOf(stack.gateway.pid)) process.kill(pid, 'SIGKILL');
  await seen.untilShown(/Recovering[\s\S]*the worker exited: signal SIGKILL[\s\S]*The gateway restarts it/);
  await seen.untilShown(/\nReady\n[\s\S]*1 since the gateway started/);
  await seen.untilShown(/Timeline[\s\S]*Ready[\s\S]*Recovering: the worker exited: signal SIGKILL[\s\S]*Loading chats/);
  expect(await seen.page.evaluate('window.isSame')).toBe(true);
  await seen.expectFit('session-ready');
});

it('lists, finds, stops and starts sessions', async () => {
  await seen.show('#/sessions');
  await seen.untilShown(/main[\s\S]*spare[\s\S]*/);
  await seen.expectFit('sessions');
  await seen.fill('Search', 'spa');
  await seen.untilShown('1 of 2 sessions');
  await seen.press('Select all shown', 'checkbox');
  await seen.press('Stop 1');
  await seen.page.locator('dialog .primary').click();
  await seen.untilShown('Stop: 1 of 1 session done.');
  await stack.untilStatus('spare', 'stopped');
  await seen.untilShown(/spare\s+Stopped/);
  await seen.press('Start 1');
  await seen.page.locator('dialog .primary').click();
  await seen.untilShown(/Start: 1 of 1 session done[\s\S]*spare\s+Ready/);
});

it('shows that the gateway is unreachable, and reconnects automatically', async () => {
  const { port } = new URL(stack.gateway.url);
  await stack.gateway.end('SIGKILL');
  await seen.untilShown('The sessions could not be read since');
  await seen.expectFit('gateway-lost');
  await stack.restartGateway({ CHAT_WEB_PORT: port });
  await eventually(async () => expect(await seen.text()).not.toContain('could not be read'));
  await seen.show('#/sessions/main');
  await seen.untilShown(/\nReady\n/);
});

it('deletes a session only after its name is typed', async () => {
  await seen.show('#/sessions/spare');
  await seen.press('Delete …');
  await seen.expectFit('session-delete');
  await seen.fill('Type spare to confirm', 'spar');
  expect(await seen.page.$eval('dialog .danger', (button) => button.hasAttribute('disabled'))).toBe(true);
  await seen.fill('Type spare to confirm', 'spare');
  await seen.page.locator('dialog .danger').click();
  await eventually(async () => expect((await stack.client.listSessions({})).sessions).toMatchObject([{ id: 'main' }]));
});

it('keeps the token out of lasting storage, and removes it from the tab on sign-out', async () => {
  expect(await seen.page.evaluate('localStorage.length + document.cookie.length')).toBe(0);
  await seen.press('Sign out');
  await seen.untilShown('Token or key of the gateway');
  expect(await seen.page.evaluate('sessionStorage.length')).toBe(0);
  expect(seen.harm).toEqual([]);
});
