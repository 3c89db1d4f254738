import { ADA, BEN, eventually } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

/** Less than the interval of regular probes. */
const SOON_MS = 10_000;

// These tests mostly wait.
describe.concurrent('a dialog of the page', () => {
  it.each([
    { which: 'log-out', text: 'Connecting to WhatsApp' },
    { which: 'stuck', text: 'storage' },
    { which: 'refresh', text: 'refresh' },
    // Its words are unknown: either button may accept terms, or log out.
    { which: 'titled', title: 'განახლება', buttons: ['გასვლა', 'თანხმობა'], logOut: 'გასვლა', text: 'განახლება' },
    { which: 'titled', title: "What's new", buttons: ['Log out', 'Continue'], logOut: 'Log out', text: 'Log out' },
  ] as const)('that is not only "What\'s new" is left open, and reported within seconds: %j', async (dialog) => {
    await using stack = await Stack.start();
    await stack.link('main', ADA);
    const events = await stack.listen('main');
    const { text, ...options } = dialog;
    await stack.disturb(ADA, 'dialog', options);
    const openedAt = Date.now();
    await eventually(async () => {
      const { degraded = [] } = await stack.client.getSessionStatus({ id: 'main' });
      expect(degraded.find(({ capability }) => capability === 'page.dialog')?.reason).toContain(text);
    });
    expect(Date.now() - openedAt).toBeLessThan(SOON_MS);
    await stack.settled();
    expect((await stack.phones.account(ADA)).devices).toHaveLength(1);
    expect(events.all('disconnected')).toEqual([]);
    await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'still there' });
    expect(stack.gateway.log.join('\n')).toContain('a dialog stays open');
  });

  it.each([
    { title: 'ما الجديد في واتساب ويب', buttons: ['إغلاق', 'متابعة'] },
    { title: 'სიახლეები', buttons: ['ic-close', 'სცადეთ'] },
    // As the page names its own buttons.
    { title: 'სიახლეები', buttons: ['დახურვა', 'სცადეთ'] },
  ])('that has only news is closed before it unlinks the account: %j', async (dialog) => {
    await using stack = await Stack.start();
    await stack.link('main', ADA);
    const events = await stack.listen('main');
    await stack.disturb(ADA, 'dialog', { which: 'titled', ...dialog, unlinkAfterMs: SOON_MS });
    const openedAt = Date.now();
    await eventually(() => expect(Date.now() - openedAt).toBeGreaterThan(SOON_MS + 2_000));
    await stack.settled();
    expect((await stack.phones.account(ADA)).devices).toHaveLength(1);
    expect(events.all('disconnected')).toEqual([]);
    expect((await stack.client.getSessionStatus({ id: 'main' })).degraded ?? []).toEqual([]);
  });
});
