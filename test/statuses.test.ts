import { sendText } from '@chat-web/host';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stanzaOf } from '../scripts/example-world.ts';
import type { EventLog } from './helpers/event-log.ts';
import { eventually } from './helpers/eventually.ts';
import { ADA, BEN, Stack } from './helpers/stack.ts';

const CARLA = '12025550103';

describe('the statuses of others', () => {
  let stack: Stack;
  let events: EventLog;
  beforeAll(async () => {
    stack = await Stack.start();
    await stack.phones.send(CARLA, { to: 'status@broadcast', body: 'before the link' });
    await stack.link('main', ADA);
    events = await stack.listen('main');
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  const postAs = async (number: string, body: string) => {
    await stack.phones.send(number, { to: 'status@broadcast', body });
    return events.until('message', (message) => message.body === body);
  };
  const ackOnPhone = async (number: string, body: string) =>
    (await stack.phones.statuses(number)).find((status) => status.body === body)?.ack;

  it('are listed by person, the last to post first, with the ids of their events; own ones are not', async () => {
    const first = await postAs(BEN, 'one');
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // The network has times in seconds.
    const second = await postAs(BEN, 'two');
    await stack.client.postStatus({ id: 'main', type: 'text', body: 'mine' });
    const statuses = await stack.client.listStatuses({ id: 'main' });
    expect(statuses.map(({ from }) => from)).toEqual([`${BEN}@c.us`, `${CARLA}@c.us`]);
    expect(statuses[0]?.statuses.map(({ id, body, seen, isStatus }) => ({ id, body, seen, isStatus }))).toEqual([
      { id: first.id, body: 'one', seen: false, isStatus: true },
      { id: second.id, body: 'two', seen: false, isStatus: true },
    ]);
    expect(statuses[1]?.statuses.map(({ body }) => body)).toEqual(['before the link']);
  });

  it('are marked as seen one by one, and the author gets the receipt', async () => {
    const seen = await postAs(BEN, 'look at me');
    for (const _ of ['first', 'again'])
      expect(await stack.client.markStatusSeen({ id: 'main', messageId: seen.id })).toEqual({
        id: seen.id,
        seen: true,
      });
    await eventually(async () => expect(await ackOnPhone(BEN, 'look at me')).toBe(3));
    expect(await ackOnPhone(BEN, 'two')).toBe(2);
    const [ofBen] = await stack.client.listStatuses({ id: 'main' });
    expect(ofBen?.statuses.map(({ body, seen: isSeen }) => [body, isSeen])).toEqual([
      ['one', false],
      ['two', false],
      ['look at me', true],
    ]);
  });

  it('that are unknown or own, or whose receipt is refused, are errors', async () => {
    const mark = (messageId: string) => stack.client.markStatusSeen({ id: 'main', messageId });
    const theirs = await postAs(BEN, 'not yet');
    await stack.phones.refuseRequests(ADA, { requests: ['see-status'], code: 500 });
    await expect(mark(theirs.id)).rejects.toMatchObject({ code: 'outcome_unknown' });
    await stack.phones.refuseRequests(ADA, { requests: ['see-status'], code: null });
    const mine = await stack.client.postStatus({ id: 'main', type: 'text', body: 'mine too' });
    await expect(mark(mine.id)).rejects.toMatchObject({ code: 'not_permitted' });
    const unknown = theirs.id.replace(/_[0-9A-F]{10,}/, '_3EB0AAAAAAAAAAAAAAAA');
    await expect(mark(unknown)).rejects.toMatchObject({ code: 'message_not_found' });
    await expect(mark(`true_${BEN}@c.us_3EB0AA`)).rejects.toMatchObject({ code: 'message_not_found' });
    await expect(mark('nonsense')).rejects.toMatchObject({
      code: 'invalid_request',
      issues: [expect.objectContaining({ path: 'messageId' })],
    });
  });

  it('are answered in the chat with their author', async () => {
    const { id } = await postAs(BEN, 'what do you think?');
    const reply = { id: 'main', type: 'text', to: BEN, body: 'nice', quotedMessageId: id } as const;
    const sent = await sendText(stack.client, reply);
    expect(sent).toMatchObject({ to: `${BEN}@c.us`, quotedMessageId: id, isStatus: false });
    const shown = await stack.onPhone(BEN, sent.id);
    expect(shown).toMatchObject({
      chat: `${ADA}@c.us`,
      quotedMessageId: stanzaOf(id),
      quotedBody: 'what do you think?',
    });
    // Any other chat would disclose the status.
    const elsewhere = sendText(stack.client, { ...reply, to: CARLA });
    await expect(elsewhere).rejects.toMatchObject({ code: 'not_permitted' });
    await stack.phones.revoke(BEN, { messageId: stanzaOf(id) });
    const again = () =>
      sendText(stack.client, reply).then(
        () => 'sent',
        ({ code }: { code: string }) => code,
      );
    await expect.poll(again).toMatch(/^(message_not_found|not_permitted)$/);
  });

  it('disappear from the list when they are deleted', async () => {
    const { id } = await postAs(BEN, 'regretted');
    await stack.phones.revoke(BEN, { messageId: id });
    await eventually(async () => {
      const [ofBen] = await stack.client.listStatuses({ id: 'main' });
      expect(ofBen?.statuses.map(({ body }) => body)).toEqual(['one', 'two', 'look at me', 'not yet']);
    });
  });
});
