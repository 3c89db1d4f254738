import { join } from 'node:path';
import { sendText } from '@chat-web/host';
import { ADA, BEN, browsersIn, renderersIn, workersOf } from '@chat-web/testing';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

describe('two accounts in two workers', () => {
  const stack = sharedStack();
  beforeAll(async () => {
    await stack.link('ada', ADA);
    await stack.link('ben', BEN);
  });

  it.each(['ada', 'ben'])('are one page each: %s has no other renderer', (id) => {
    // A newer Chromium silently ignores a feature flag that it no longer knows. This test would show it.
    const folder = join(stack.dataDir, 'sessions', id);
    expect(renderersIn(folder)).toHaveLength(1);
    expect(browsersIn(folder).length).toBeLessThanOrEqual(5);
  });

  it('write to each other', async () => {
    expect(workersOf(stack.gateway.pid)).toHaveLength(2);
    const [ada, ben] = await Promise.all([stack.listen('ada'), stack.listen('ben')]);

    const question = await sendText(stack.client, { id: 'ada', type: 'text', to: BEN, body: 'ping' });
    const received = await ben.until('message', ({ body }) => body === 'ping');
    expect(received.from).toBe(`${ADA}@c.us`);
    await stack.client.sendMessage({ id: 'ben', type: 'text', to: ADA, body: 'pong', quotedMessageId: received.id });
    const answer = await ada.until('message', ({ body }) => body === 'pong');
    expect(answer).toMatchObject({ from: `${BEN}@c.us`, quotedMessageId: question.id });
    expect([ada, ben].map((events) => events.all('message').length)).toEqual([1, 1]);
  });
});
