import { ADA, BEN, eventually } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

// These tests mostly wait.
describe.concurrent('a dialog of the page', () => {
  it.each([
    ['log-out', 'Connecting to WhatsApp'],
    ['stuck', 'storage'],
    ['refresh', 'refresh'],
  ] as const)('that is not "What\'s new" (%s) is left open, and is reported with its text', async (which, text) => {
    await using stack = await Stack.start();
    await stack.link('main', ADA);
    const events = await stack.listen('main');
    await stack.disturb(ADA, 'dialog', { which });
    await eventually(async () => {
      const { degraded = [] } = await stack.client.getSessionStatus({ id: 'main' });
      expect(degraded.find(({ capability }) => capability === 'page.dialog')?.reason).toContain(text);
    });
    await stack.settled();
    expect((await stack.phones.account(ADA)).devices).toHaveLength(1);
    expect(events.all('disconnected')).toEqual([]);
    await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'still there' });
    expect(stack.gateway.log.join('\n')).toContain('a dialog stays open');
  });
});
