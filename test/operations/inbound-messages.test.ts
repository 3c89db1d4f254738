import { ADA, BEN } from '@chat-web/testing';
import type { EventLog } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const stack = sharedStack();
let events: EventLog;
beforeAll(async () => {
  await stack.link('main', ADA);
  events = await stack.listen('main');
});

describe('the sender of a message', () => {
  const HARRY = { number: '12025550188', name: 'Harry "H" 🎩', lid: '81604523377188', hiddenNumber: true };
  const received = (wanted: string) => events.until('message', ({ body }) => body === wanted);

  it('has the name that the person chose, a stranger in a group too, in events, answers and lists', async () => {
    await stack.phones.addAccount(HARRY);
    const { id: group } = await stack.createGroup(BEN, { subject: 'Party', participants: [ADA, HARRY.number] });
    await stack.phones.send(HARRY.number, { to: group, body: 'who am I?' });
    await stack.phones.send(BEN, { to: ADA, body: 'and me?' });
    const stranger = await received('who am I?');
    expect(stranger).toMatchObject({ from: group, author: `${HARRY.lid}@lid`, senderName: HARRY.name });
    expect(await received('and me?')).toMatchObject({ senderName: 'Ben Okafor' });
    const { messages } = await stack.client.listMessages({ id: 'main', chatId: group });
    expect(messages.at(-1)).toMatchObject({ body: 'who am I?', senderName: HARRY.name });
    expect(await stack.client.getMessage({ id: 'main', messageId: stranger.id })).toMatchObject({
      senderName: HARRY.name,
    });
    const sent = await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'you are Ben' });
    expect(sent).not.toHaveProperty('senderName');
  });
});
