import { operations } from '@chat-web/protocol';
import { ADA, BEN, eventually, hostileTexts } from '@chat-web/testing';
import { ConsolePage } from '@chat-web/testing/browser';
import { storedEvents } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, expect, it } from 'vitest';

const TOKEN = 'the-operators-token';

const stack = sharedStack({ settings: { CHAT_WEB_TOKEN: TOKEN } });
let seen: ConsolePage;

beforeAll(async () => {
  seen = await ConsolePage.open({ url: stack.gateway.url });
  await seen.page.goto(`${stack.gateway.url}/docs`);
  return () => seen[Symbol.asyncDispose]();
});

/** The field of a parameter in the form of an operation, such as `Messages-sendMessage`. */
const parameter = (operation: string, name: string) => `#operations-${operation} tr[data-param-name="${name}"] input`;
/** Fills a field at once: each typed character would render the page again. */
const fill = async (selector: string, text: string) => {
  await seen.page.locator(selector).wait();
  await seen.page.evaluate(`{
    const field = document.querySelector(${JSON.stringify(selector)});
    Object.getOwnPropertyDescriptor(field.constructor.prototype, 'value').set.call(field, ${JSON.stringify(text)});
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.dispatchEvent(new Event('focusout', { bubbles: true })); // The page takes the text when typing ends.
  }`);
};
/** Executes an operation whose form is open, and returns the response. */
const execute = async (operation: string) => {
  await seen.page.locator(`#operations-${operation} .execute`).click();
  return eventually(() =>
    seen.page.$eval(`#operations-${operation} .live-responses-table .response`, (shown) => shown.textContent ?? ''),
  );
};

it('asks for a token before it shows the calls', async () => {
  await seen.expectFit('reference-sign-in');
  await seen.fill('Token or key of the gateway', 'wrong');
  await seen.press('Show');
  await seen.untilShown(/401/);
  await seen.fill('Token or key of the gateway', TOKEN);
  await seen.press('Show');
  await seen.untilShown('/sessions/{id}/messages');
});

it('lists each operation', async () => {
  const shown = await seen.page.$$eval('.opblock', (blocks) => blocks.length);
  expect(shown).toBeGreaterThan(Object.keys(operations).length);
  await seen.expectFit('reference');
});

it('makes a call, and shows the response', async () => {
  await seen.page.locator('#operations-Sessions-listSessions button').click();
  expect(await execute('Sessions-listSessions')).toMatch(/200[\s\S]*"sessions": \[\]/);
  expect(await seen.text()).toContain('curl -X');
  expect(await seen.text()).not.toContain(TOKEN);
});

it('is signed in to the console too, since both use the token of the tab', async () => {
  await seen.page.goto(`${stack.gateway.url}/console/`);
  await seen.untilShown('There is no session yet.');
});

it('opens from the page of a session, with the session filled in', async () => {
  await stack.linkLongAgo('shop-1', ADA);
  await seen.show('#/sessions/shop-1');
  await seen.press('try a call with it', 'link');
  const id = await seen.page.locator(parameter('Messages-sendMessage', 'id')).waitHandle();
  expect(await id.evaluate((input: { readonly value: string }) => input.value)).toBe('shop-1');
  const body = JSON.stringify({ type: 'text', to: BEN, body: 'From the reference' });
  await fill('#operations-Messages-sendMessage .body-param__text', body);
  const answered = await execute('Messages-sendMessage');
  const [, sent = ''] = answered.match(/"id": "(true_[^"]+)"/) ?? [];
  expect(await stack.onPhone(BEN, sent)).toMatchObject({ body: 'From the reference' });
});

it('runs nothing in hostile files', async () => {
  for (const [index, filename] of hostileTexts.entries()) {
    const bytes = `<html><script>harmed('file')</script>${index}`;
    const mimeType = index % 2 === 0 ? 'text/html' : 'image/svg+xml';
    const document = { kind: 'document', base64: btoa(bytes), mimeType, filename } as const;
    await stack.phones.send(BEN, { to: ADA, body: filename, media: document });
  }
  const ids = await eventually(async () => {
    const events = await storedEvents(stack, 'shop-1');
    const found = events.flatMap(({ name, data }) => (name === 'message' ? data.id : []));
    expect(found).toHaveLength(hostileTexts.length);
    return found;
  });
  // With the other groups hidden, each call renders less.
  await fill('.operation-filter-input', 'Messages');
  await seen.page.locator('#operations-Messages-getMedia button').click();
  for (const id of ids) {
    await fill(parameter('Messages-getMedia', 'messageId'), id);
    expect(await execute('Messages-getMedia')).toMatch(/^200[\s\S]*content-disposition/);
    await seen.page.locator('#operations-Messages-getMedia .btn-clear').click();
  }
});

it('loads nothing from other origins, and violates no policy', () => {
  expect(seen.harm).toEqual([]);
});
