import { sendText } from '@chat-web/host';
import type { Message } from '@chat-web/protocol';
import { ADA, BEN, CARLA, eventually, media } from '@chat-web/testing';
import { type EventLog, stanzaOf } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const stack = sharedStack();
let events: EventLog;
beforeAll(async () => {
  await stack.phones.send(CARLA, { to: 'status@broadcast', body: 'before the link' });
  await stack.link('main', ADA);
  events = await stack.listen('main');
});

describe('the statuses of others', () => {
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
    await stack.phones.revoke(BEN, stanzaOf(id));
    const again = () =>
      sendText(stack.client, reply).then(
        () => 'sent',
        ({ code }: { code: string }) => code,
      );
    await expect.poll(again).toMatch(/^(message_not_found|not_permitted)$/);
  });

  it('disappear from the list when they are deleted', async () => {
    const { id } = await postAs(BEN, 'regretted');
    await stack.phones.revoke(BEN, id);
    await eventually(async () => {
      const [ofBen] = await stack.client.listStatuses({ id: 'main' });
      expect(ofBen?.statuses.map(({ body }) => body)).toEqual(['one', 'two', 'look at me', 'not yet']);
    });
  });
});

describe('the status feed', () => {
  const seenByBen = (id: string) =>
    eventually(async () => {
      const found = (await stack.phones.statuses(BEN)).find((status) => status.id === stanzaOf(id));
      if (!found) throw new Error(`status ${id} is not on the phone of Ben`);
      return found;
    });
  const expectStatus = (posted: Message) => {
    expect(posted).toMatchObject({ to: 'status@broadcast', isStatus: true, fromMe: true });
    expect(posted.ack).toBeGreaterThanOrEqual(1);
  };

  it('accepts a text with colour and font, in options or beside it, and returns its real id', async () => {
    const style = { backgroundColor: '#1A2B3C', font: 3 };
    for (const fields of [style, { options: style }]) {
      const posted = await stack.client.postStatus({ id: 'main', type: 'text', body: 'good morning', ...fields });
      expectStatus(posted);
      const seen = await seenByBen(posted.id);
      expect(seen).toMatchObject({ body: 'good morning', font: 3 });
      expect(seen.backgroundColor?.toUpperCase()).toBe('#1A2B3C');
    }
  });

  it('matches a status with its later delete by that id', async () => {
    const posted = await stack.client.postStatus({ id: 'main', type: 'text', body: 'regretted' });
    await seenByBen(posted.id);
    const deleted = await stack.client.deleteMessage({ id: 'main', messageId: posted.id, forEveryone: true });
    expect(deleted).toEqual({ id: posted.id, deletedFor: 'everyone' });
    await eventually(async () => {
      const seen = (await stack.phones.statuses(BEN)).find(({ id }) => id === stanzaOf(posted.id));
      expect(seen === undefined || seen.type === 'revoked').toBe(true);
    });
  });

  it('does not report a status as deleted where the page could not revoke it', async () => {
    const { id } = await stack.client.postStatus({ id: 'main', type: 'text', body: 'kept' });
    await stack.phones.refuseRequests(ADA, { requests: ['revoke'], code: 500 });
    const deleting = stack.client.deleteMessage({ id: 'main', messageId: id, forEveryone: true });
    await expect(deleting).rejects.toMatchObject({ code: 'outcome_unknown' });
    await stack.phones.refuseRequests(ADA, { requests: ['revoke'], code: null });
    expect(await seenByBen(id)).toMatchObject({ body: 'kept' });
  });

  it('accepts posts by the message route, too, with the real id', async () => {
    const body = 'good evening';
    const posted = await sendText(stack.client, { id: 'main', type: 'text', to: 'status@broadcast', body });
    expectStatus(posted);
    expect(await seenByBen(posted.id)).toMatchObject({ body });
    const document = { id: 'main', type: 'document', to: 'status@broadcast', base64: 'AQID' } as const;
    await expect(stack.client.sendMessage(document)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('deletes no status of others, and no status only for the account', async () => {
    const mine = await stack.client.postStatus({ id: 'main', type: 'text', body: 'mine' });
    await stack.phones.send(BEN, { to: 'status@broadcast', body: 'not mine' });
    const theirs = await events.until('message', ({ body }) => body === 'not mine');
    for (const [messageId, forEveryone] of [
      [mine.id, false],
      [theirs.id, true],
    ] as const) {
      const deleting = stack.client.deleteMessage({ id: 'main', messageId, forEveryone });
      await expect(deleting).rejects.toMatchObject({ code: 'not_permitted' });
    }
    expect(await seenByBen(mine.id)).toMatchObject({ body: 'mine' });
  });

  it('accepts images and videos', async () => {
    for (const { type, bytes, mimeType } of media.slice(0, 2)) {
      const base64 = Buffer.from(bytes).toString('base64');
      const posted = await stack.client.postStatus({
        id: 'main',
        type: type as 'image',
        base64,
        mimeType,
        caption: 'look',
      });
      expectStatus(posted);
      expect(await seenByBen(posted.id)).toMatchObject({ type, body: 'look' });
    }
  });

  it('of contacts arrives as messages', async () => {
    await stack.phones.send(BEN, { to: 'status@broadcast', body: 'from Ben' });
    const message = await events.until('message', ({ body }) => body === 'from Ben');
    expect(message).toMatchObject({ isStatus: true, author: `${BEN}@c.us` });
  });

  it.each([
    [{ type: 'text', body: '' }],
    [{ type: 'text', body: 'x', backgroundColor: 'red' }],
    [{ type: 'text', body: 'x', font: 9 }],
    [{ type: 'audio', base64: 'AAAA' }],
    [{ type: 'image' }],
  ])('refuses %j', async (post) => {
    const posting = stack.client.postStatus({ id: 'main', ...post } as never);
    await expect(posting).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
