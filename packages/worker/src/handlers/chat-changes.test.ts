import { afterEach, beforeEach, expect, it } from 'vitest';
import { clearChat, pinChat } from '../page/chat-changes.ts';
import { setChatLabels } from '../page/labels.ts';
import { type FakeContext, fakeContext } from '../testing/fake-page.ts';
import { chatChangeHandlers } from './chat-changes.ts';
import { labelHandlers } from './labels.ts';

let context: FakeContext;
beforeEach(() => {
  context = fakeContext();
});
afterEach(() => context[Symbol.dispose]());

it('a change with only its first step done has an unknown outcome, not a refusal', async () => {
  context.page
    .on(pinChat, () => 'unarchived')
    .on(clearChat, () => 'unknown')
    .on(setChatLabels, () => 'not_shown');
  const chat = { id: 'main', chatId: '1@c.us' };
  const chats = chatChangeHandlers(context);
  const unknown = { code: 'outcome_unknown' };
  await expect(chats.pinChat({ ...chat, pinned: true })).rejects.toMatchObject(unknown);
  await expect(chats.clearChat(chat)).rejects.toMatchObject(unknown);
  await expect(labelHandlers(context).setChatLabels({ ...chat, labelIds: [] })).rejects.toMatchObject(unknown);
});
