import { ADA, eventually, pace, withRoom } from '@chat-web/testing';
import { ConsolePage } from '@chat-web/testing/browser';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, expect, it } from 'vitest';

const TOKEN = 'the-operators-token';

const stack = sharedStack({ settings: { CHAT_WEB_TOKEN: TOKEN } });
let seen: ConsolePage;

beforeAll(async () => {
  await stack.link('main', ADA);
  seen = await ConsolePage.open({ url: stack.gateway.url, token: TOKEN });
  return () => seen[Symbol.asyncDispose]();
});

it('shows the last hour of host and gateway, as measured by the gateway', async () => {
  await seen.show('#/host');
  await seen.untilShown(/Sessions\s+Ready 1/);
  await seen.untilShown(/Memory of all sessions\s+\d+ MB/);
  await seen.untilShown(/Event loop of the gateway, busy\s+[\d.]+ %/);
  const { samples, version } = await stack.client.getHost({});
  expect(samples.length).toBeGreaterThan(0);
  const shown = await seen.text();
  expect(shown).toContain(`version ${version}`);
  expect(shown).toMatch(/Memory available\s+[\d.]+ [GM]B\s+[\d.]+ [GM]B/);
  expect(shown).toMatch(/Journal\s+[\d.]+ (bytes|KB)/);
  await seen.expectFit('host');
});

it.runIf(process.getuid?.() === 0)("warns of browsers without Chromium's sandbox", async () => {
  await seen.untilShown("The browser of 1 session runs without Chromium's sandbox: Chromium has none for root.");
});

it('gives each value to keyboard and screen reader users', async () => {
  const chart = await seen.page.waitForSelector('::-p-aria([name="Memory of the gateway"][role="slider"])');
  const valueText = () =>
    chart?.evaluate((input: { getAttribute(name: string): string | null }) => input.getAttribute('aria-valuetext'));
  expect(await valueText()).toMatch(/^\d+ MB now, \d+ MB.* in the last hour$/);
  await chart?.focus();
  await seen.page.keyboard.press('ArrowLeft');
  await eventually(async () => expect(await valueText()).toMatch(/^\d+ MB at \d+:\d+:\d+/));
  await seen.expectFit('host-pointed-at');
  await seen.page.keyboard.press('Home');
  await eventually(async () => expect(await valueText()).toMatch(/^not measured at/));
});

it('shows the memory of a session over the last hour', async () => {
  await seen.show('#/sessions/main');
  await seen.untilShown(/Memory over the last hour\s+\d+ MB/);
  await seen.expectFit('session-memory');
  expect(seen.harm).toEqual([]);
});

it('sends no request while the page is hidden, and resumes as soon as it is visible', async () => {
  await seen.show('#/webhooks');
  await seen.untilShown('There is no webhook yet.');
  const front = await seen.page.browser().newPage();
  await front.bringToFront();
  expect(await seen.page.evaluate('document.hidden')).toBe(true);
  let requests = 0;
  seen.page.on('request', () => {
    requests += 1;
  });
  await pace(12_000); // Longer than any interval between requests of a visible page.
  expect(requests).toBe(0);
  await seen.page.bringToFront();
  await eventually(() => expect(requests).toBeGreaterThan(0), withRoom(3_000));
});
