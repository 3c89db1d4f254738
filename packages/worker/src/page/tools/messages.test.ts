import { beforeEach, expect, it, vi } from 'vitest';
import type { PageMessage, PageWindow } from '../window.ts';
import { installMessageTools } from './messages.ts';

const id = (text: string) => ({ toString: () => text });
const message = (values: object, remote = '1@g.us') =>
  ({ id: { ...id('M'), fromMe: false, remote: id(remote) }, type: 'image', ...values }) as PageMessage;
const tools = () => (globalThis as never as { window: PageWindow }).window.chatWebTools;

beforeEach(() => {
  const ids = {
    optional: () => undefined,
    phoneOr: String,
    lidOf: () => undefined,
    idsOf: () => [],
    ownIds: () => [],
    isMe: () => false,
  };
  vi.stubGlobal('window', { chatWebTools: ids, require: () => ({ Msg: {} }) });
  installMessageTools();
});

it('hidden messages are not delivered: another quality of a photo, and scheduled messages', () => {
  const isDelivered = (viewMode?: string) => tools().isDeliverable(message({ viewMode }));
  expect([undefined, 'VISIBLE', 'MEDIA_ALBUM'].map(isDelivered)).toEqual([true, true, true]);
  expect(['HIDDEN', 'SCHEDULED_MESSAGE'].map(isDelivered)).toEqual([false, false]);
});

it('a status posted to a group is a status, not a message of its chat', () => {
  const isStatus = (one: PageMessage) => [tools().isPost(one), tools().messageModel(one).isStatus];
  expect(isStatus(message({ isGroupStatus: true }))).toEqual([true, true]);
  expect(isStatus(message({}, 'status@broadcast'))).toEqual([true, true]);
  expect(isStatus(message({ isStatusV3: true }))).toEqual([true, true]);
  expect(isStatus(message({}))).toEqual([false, false]);
});
