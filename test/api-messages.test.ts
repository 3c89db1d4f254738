import { sendText } from '@chat-web/host';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stanzaOf } from '../scripts/example-world.ts';
import type { EventLog } from './helpers/event-log.ts';
import { eventually } from './helpers/eventually.ts';
import { ADA, BEN, Stack } from './helpers/stack.ts';

describe.each([{ idProperty: '_serialized' }, { idProperty: '$1' }] as const)(
  'messages that exist: %j',
  (simulator) => {
    let stack: Stack;
    let events: EventLog;
    beforeAll(async () => {
      stack = await Stack.start({ simulator });
      await stack.link('main', ADA);
      events = await stack.listen('main');
    });
    afterAll(() => stack[Symbol.asyncDispose]());

    const send = (body: string) => sendText(stack.client, { id: 'main', type: 'text', to: BEN, body });
    const onBensPhone = (id: string) =>
      eventually(async () => {
        const found = (await stack.phones.messages(BEN)).find((message) => message.id === stanzaOf(id));
        if (!found) throw new Error(`${id} is not on the phone`);
        return found;
      });
    const unknown = `true_${BEN}@c.us_3EB0000000000000`;

    it('get a reaction, and it is removed', async () => {
      const { id } = await send('react to me');
      const react = (emoji: string) => stack.client.sendMessage({ id: 'main', type: 'reaction', messageId: id, emoji });
      expect(await react('👍')).toEqual({ id, messageId: id, emoji: '👍' });
      await eventually(async () =>
        expect((await onBensPhone(id)).reactions).toEqual([{ from: `${ADA}@c.us`, emoji: '👍' }]),
      );
      expect(await react('')).toEqual({ id, messageId: id, emoji: '' });
      await eventually(async () => expect((await onBensPhone(id)).reactions).toEqual([]));
      const noEmoji = stack.client.sendMessage({ id: 'main', type: 'reaction', messageId: id, emoji: 'hello' });
      await expect(noEmoji).rejects.toMatchObject({ code: 'invalid_request' });
      const toUnknown = stack.client.sendMessage({ id: 'main', type: 'reaction', messageId: unknown, emoji: '👍' });
      await expect(toUnknown).rejects.toMatchObject({ code: 'message_not_found' });
    });

    it('of a blocked person get no reaction, and lose the one that they have', async () => {
      const { id } = await send('before the block');
      const react = (emoji: string) =>
        stack.client.sendMessage({ id: 'main', type: 'reaction', messageId: id, emoji }).then(
          () => 'done',
          ({ code }: { code: string }) => code,
        );
      expect(await react('👍')).toBe('done');
      await stack.phones.contacts(ADA, { block: [BEN] });
      await expect.poll(() => react('👎'), { timeout: 5_000 }).toBe('not_permitted');
      expect(await react('')).toBe('done');
      await stack.phones.contacts(ADA, { unblock: [BEN] });
      await expect.poll(() => react('👍'), { timeout: 5_000 }).toBe('done');
    });

    it('are edited while the window is open, only by their author', async () => {
      const { id } = await send('with a tpyo');
      const edit = (messageId: string) => stack.client.editMessage({ id: 'main', messageId, body: 'without one' });
      expect(await edit(id)).toMatchObject({ id, body: 'without one', fromMe: true, type: 'text' });
      await eventually(async () => expect(await onBensPhone(id)).toMatchObject({ body: 'without one', edited: true }));

      const blank = stack.client.editMessage({ id: 'main', messageId: id, body: ' \n ' });
      await expect(blank).rejects.toMatchObject({ code: 'invalid_request', issues: [{ path: 'body' }] });
      const padded = await stack.client.editMessage({ id: 'main', messageId: id, body: '  trimmed ' });
      expect(padded.body).toBe('trimmed');
      await eventually(async () => expect(await onBensPhone(id)).toMatchObject({ body: 'trimmed' }));

      const { id: plain } = await send('without a link');
      const withLink = { id: 'main', messageId: plain, body: 'see https://example.com/ for more' };
      expect(await stack.client.editMessage(withLink)).toMatchObject({ body: withLink.body });

      const { id: old } = await send('too old');
      await stack.phones.age(stanzaOf(old), 20 * 60_000);
      await expect(edit(old)).rejects.toMatchObject({ code: 'edit_window_closed' });
      expect(await onBensPhone(old)).toMatchObject({ body: 'too old', edited: false });

      await stack.phones.send(BEN, { to: ADA, body: 'mine' });
      const { id: theirs } = await events.until('message', ({ body }) => body === 'mine');
      await expect(edit(theirs)).rejects.toMatchObject({ code: 'not_permitted' });
      await expect(edit(unknown)).rejects.toMatchObject({ code: 'message_not_found' });
    });

    it('are deleted for everyone, and only for the account when it is too late or on request', async () => {
      const remove = (messageId: string, forEveryone = true) =>
        stack.client.deleteMessage({ id: 'main', messageId, forEveryone });
      const { id } = await send('regretted');
      expect(await remove(id)).toEqual({ id, deletedFor: 'everyone' });
      await eventually(async () => expect(await onBensPhone(id)).toMatchObject({ type: 'revoked' }));
      await expect(remove(id)).rejects.toMatchObject({ code: 'message_not_found' });

      const { id: old } = await send('long regretted');
      await stack.phones.age(stanzaOf(old), 3 * 24 * 3_600_000);
      expect(await remove(old)).toEqual({ id: old, deletedFor: 'me' });
      expect(await onBensPhone(old)).toMatchObject({ body: 'long regretted', type: 'text' });
      await expect(remove(old)).rejects.toMatchObject({ code: 'message_not_found' });

      // Neither deleted only for the account instead, nor lost: it can be retried.
      const { id: kept } = await send('regretted offline');
      await stack.phones.refuseRequests(ADA, { requests: ['revoke'], code: 500 });
      await expect(remove(kept)).rejects.toMatchObject({ code: 'outcome_unknown' });
      await stack.phones.refuseRequests(ADA, { requests: ['revoke'], code: null });
      expect(await remove(kept)).toEqual({ id: kept, deletedFor: 'everyone' });

      const { id: mine } = await send('out of my sight');
      expect(await remove(mine, false)).toEqual({ id: mine, deletedFor: 'me' });
      await expect(remove(unknown)).rejects.toMatchObject({ code: 'message_not_found' });
    });
  },
);
