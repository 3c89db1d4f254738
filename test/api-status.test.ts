import { sendText } from '@chat-web/host';
import type { Message } from '@chat-web/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stanzaOf } from '../scripts/example-world.ts';
import type { EventLog } from './helpers/event-log.ts';
import { eventually } from './helpers/eventually.ts';
import { media } from './helpers/media.ts';
import { ADA, BEN, Stack } from './helpers/stack.ts';

describe('the status feed', () => {
  let stack: Stack;
  let events: EventLog;
  beforeAll(async () => {
    stack = await Stack.start();
    await stack.link('main', ADA);
    events = await stack.listen('main');
  });
  afterAll(() => stack[Symbol.asyncDispose]());

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
