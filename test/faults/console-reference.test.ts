import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../../packages/protocol/src/index.ts';
import { ConsolePage } from '../helpers/console-page.ts';
import { eventually } from '../helpers/eventually.ts';
import { Stack } from '../helpers/stack.ts';

const TOKEN = 'the-operators-token';

let stack: Stack;
let seen: ConsolePage;

beforeAll(async () => {
  stack = await Stack.start({ settings: { CHAT_WEB_TOKEN: TOKEN } });
  seen = await ConsolePage.open({ url: stack.gateway.url });
  await seen.page.goto(`${stack.gateway.url}/docs`);
});

afterAll(async () => {
  await seen[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

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
  await seen.page.locator('#operations-Sessions-listSessions .execute').click();
  await eventually(async () => {
    const answered = await seen.page.$eval(
      '#operations-Sessions-listSessions .live-responses-table',
      (e) => e.textContent,
    );
    expect(answered).toMatch(/200[\s\S]*"sessions": \[\]/);
  });
  expect(await seen.text()).toContain('curl -X');
  expect(await seen.text()).not.toContain(TOKEN);
});

it('is signed in to the console too, since both use the token of the tab', async () => {
  await seen.page.goto(`${stack.gateway.url}/console/`);
  await seen.untilShown('There is no session yet.');
});

it('loads nothing from other origins, and violates no policy', () => {
  expect(seen.harm).toEqual([]);
});
