import { createClient } from '@chat-web/host';
import { eventually } from '@chat-web/testing';
import { ConsolePage } from '@chat-web/testing/browser';
import { sharedGateway } from '@chat-web/testing/story';
import { beforeAll, expect, it } from 'vitest';

const TOKEN = 'the-operators-token';

const gateway = sharedGateway({ settings: { CHAT_WEB_TOKEN: TOKEN }, sessions: ['main', 'shop-1', 'shop-2'] });
const gatewayWithoutToken = sharedGateway();
let seen: ConsolePage;
const clientOf = (token: string) => createClient({ url: gateway.url, token }, { retries: 0 });

beforeAll(async () => {
  seen = await ConsolePage.open({ url: gateway.url, token: TOKEN });
  return () => seen[Symbol.asyncDispose]();
});

/** The focused element. */
const focused = () => seen.page.evaluate('document.activeElement.textContent');
/** A secret as the page shows it. */
const shownSecret = () =>
  seen.page
    .locator('.secret')
    .map((code) => code.textContent)
    .wait();

it('creates a key, which is shown once, works, and stops working once it is revoked', async () => {
  await seen.page.emulateTimezone('Asia/Kolkata');
  await seen.page.reload(); // Time formats keep the zone of their creation.
  await seen.show('#/keys');
  await seen.untilShown('There is no key yet.');
  await seen.expectFit('no-keys');
  await seen.press('New key');
  await seen.press('Cancel');
  await eventually(async () => expect(await focused()).toBe('New key'));
  await seen.page.keyboard.press('Enter');
  await seen.fill('Name', 'The shop');
  await seen.fill('Sessions', 'shop-*');
  await seen.untilShown('2 sessions now: shop-1, shop-2.');
  await seen.page.locator('label ::-p-text(Also sends messages)').click();
  await seen.fill('Expires (optional)', '2099-01-31T10:30');
  await seen.expectFit('new-key');
  await seen.press('Create key');
  await seen.untilShown('It is not shown again.');
  const key = (await shownSecret()) ?? '';
  await eventually(async () => expect(await focused()).toBe('Copy'));
  await seen.expectFit('key-shown');
  const { sessions, ...access } = await clientOf(key).getAccess({});
  expect({ sessions, ...access }).toMatchObject({ name: 'The shop', scope: 'send', sessions: ['shop-*'] });
  expect(access.expiresAt).toBe('2099-01-31T05:00:00.000Z');
  await seen.untilShown(/Jan 31, 2099, 10:30:00/);

  await seen.press('Copy');
  await seen.untilShown(/Copied|select the text/);
  await seen.press('I have stored it');
  await eventually(async () => expect(await seen.page.content()).not.toContain(key));
  await seen.press('Revoke The shop');
  await seen.untilShown('Its next request is refused with 401');
  await seen.expectFit('revoke-key');
  await seen.press('Revoke');
  await seen.untilShown('There is no key yet.');
  await expect(clientOf(key).getAccess({})).rejects.toMatchObject({ status: 401 });
});

it('shows what is wrong with a key, and keeps the input', async () => {
  await seen.press('New key');
  await seen.fill('Name', 'The shop');
  await seen.fill('Sessions', 'shop/1');
  await seen.press('Create key');
  await seen.untilShown(/sessions\.0 must be 1 to 64 characters/);
  await seen.fill('Sessions', 'shop-1');
  await seen.press('Create key');
  await seen.untilShown('It is not shown again.');
  await seen.press('I have stored it');
});

it('rotates a key, and shows the secret until it is stored, also after going back', async () => {
  await seen.press('Rotate The shop');
  await seen.untilShown(/revoke key_\w+ once the application uses the new one/);
  await seen.expectFit('rotate-key');
  await seen.press('Create key');
  await seen.untilShown('It is not shown again.');
  const key = (await shownSecret()) ?? '';
  expect(await clientOf(key).getAccess({})).toMatchObject({ name: 'The shop', scope: 'read', sessions: ['shop-1'] });
  await seen.page.keyboard.press('Escape');
  await seen.page.keyboard.press('Escape');
  await seen.show('#/sessions');
  await seen.untilShown(/Sessions[\s\S]*It is not shown again\./);
  expect(await shownSecret()).toBe(key);
  await seen.press('I have stored it');
  await seen.show('#/keys');
  await eventually(async () => expect(await seen.page.$$('tbody tr')).toHaveLength(2));
});

it('shows keys that others create, and marks expired ones', async () => {
  const expiresAt = new Date(Date.now() + 15_000).toISOString();
  const name = '<img src=x onerror=harmed()> and a name that is long';
  await clientOf(TOKEN).createKey({ name, sessions: ['*'], scope: 'read', expiresAt });
  await seen.untilShown(/onerror.*Expired.*The shop.*Valid/s);
  await seen.expectFit('keys');
  expect(seen.harm).toEqual([]);
});

/** The views offered to the signed-in user. */
const offered = () =>
  seen.page.$$eval('nav a[href^="#"]', (links) => links.map((link) => link.getAttribute('href') ?? ''));

/** The names of all buttons, links and fields of each view, without the numbers at their ends. */
async function walk(views: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const view of views) {
    await seen.show(view);
    await seen.page.waitForNetworkIdle({ idleTime: 300, concurrency: 4 });
    const names = await seen.controls();
    found.set(
      view,
      names.map((name) => name.replace(/ \d+$/, '')),
    );
  }
  return found;
}

/** Presses each button of a view, which is reloaded for each. */
async function pressAll(view: string): Promise<void> {
  for (let at = 0, count = 1; at < count; at += 1) {
    await seen.show('#/nothing');
    await seen.untilShown('There is no such view.');
    await seen.show(view);
    await seen.page.waitForNetworkIdle({ idleTime: 200, concurrency: 4 });
    count = await seen.page.$$eval('#main button', (buttons) => buttons.length);
    await seen.page.$$eval('#main button', (buttons, index) => buttons[index]?.click(), at);
    await seen.page.waitForNetworkIdle({ idleTime: 200, concurrency: 4 });
  }
}

it('shows a key of scope read only what it may use', async () => {
  const operator = clientOf(TOKEN);
  const { key } = await operator.createKey({ name: 'Reader', sessions: ['shop-*'], scope: 'read' });
  const views = [...(await offered()), '#/sessions/shop-1', '#/sessions/main', '#/webhooks/wh_0123456789ab'];
  expect(views).toEqual(expect.arrayContaining(['#/webhooks', '#/keys', '#/host']));
  const ofOperator = await walk(views);
  await seen.press('Sign out');
  await seen.signIn(key);
  const refused: string[] = [];
  seen.page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url());
  });
  const ofReader = await walk(views);
  for (const view of [...(await offered()), '#/sessions/shop-1']) await pressAll(view);
  expect(refused).toEqual([]);
  const elsewhere = ['Webhooks', 'Keys', 'Host'];
  for (const name of elsewhere.map((title) => `#/${title.toLowerCase()}`)) {
    expect(await offered()).not.toContain(name);
    expect(ofReader.get(name)).toContain('To the sessions');
    for (const button of ofReader.get(name) ?? []) expect(button).not.toMatch(/^(New|Revoke|Deliver)/);
  }
  const withheld = (view: string) => (ofOperator.get(view) ?? []).filter((name) => !ofReader.get(view)?.includes(name));
  expect(withheld('#/sessions')).toEqual(
    expect.arrayContaining([...elsewhere, 'New session', 'Start', 'Stop', 'main']),
  );
  expect(withheld('#/sessions/shop-1')).toEqual(expect.arrayContaining(['Start', 'Delete …']));
  await seen.show('#/keys');
  await seen.untilShown('Your key does not allow this view.');
  await seen.expectFit('not-allowed');

  const reader = clientOf(key);
  const calls = [
    () => reader.startSession({ id: 'shop-1' }),
    () => reader.stopSession({ id: 'shop-1' }),
    () => reader.deleteSession({ id: 'shop-1' }),
    () => reader.listWebhooks({}),
    () => reader.listKeys({}),
    () => reader.getHost({}),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ status: 403, code: 'insufficient_scope' });
});

it('shows a key of scope manage the webhooks of its own sessions, and neither keys nor host', async () => {
  const { key } = await clientOf(TOKEN).createKey({ name: 'Manager', sessions: ['shop-*'], scope: 'manage' });
  await seen.press('Sign out');
  await seen.signIn(key);
  const views = await offered();
  expect(views).toContain('#/webhooks');
  expect(views.filter((view) => ['#/keys', '#/host'].includes(view))).toEqual([]);
  await seen.show('#/webhooks');
  await seen.press('New webhook');
  await seen.untilShown('2 sessions now: shop-1, shop-2.');
  await seen.press('Cancel');
});

it('asks for a token again once a key is revoked', async () => {
  const { keys } = await clientOf(TOKEN).listKeys({});
  for (const { id } of keys) await clientOf(TOKEN).deleteKey({ keyId: id });
  await seen.show('#/sessions');
  await seen.untilShown('Token or key of the gateway');
});

it('reports on an open gateway that keys need a token', async () => {
  await using open = await ConsolePage.open({ url: gatewayWithoutToken.url });
  await open.show('#/keys');
  await open.untilShown('Keys need CHAT_WEB_TOKEN.');
  await open.expectFit('keys-open-gateway');
  expect(open.harm).toEqual([]);
});
