import { beforeEach, expect, it } from 'vitest';
import { stubPage } from '../../testing/page-registry.ts';
import type { PageMessage } from '../models.ts';
import { isDeliverable } from './message-types.ts';
import { isPost, messageModel } from './messages.ts';

const id = (text: string) => ({ toString: () => text });
const message = (values: object, remote = '1@g.us') =>
  ({ id: { ...id('M'), fromMe: false, remote: id(remote) }, type: 'image', ...values }) as PageMessage;

beforeEach(() => void stubPage());

it('hidden messages are not delivered: another quality of a photo, and scheduled messages', () => {
  const isDelivered = (viewMode?: string) => isDeliverable(message({ viewMode }));
  expect([undefined, 'VISIBLE', 'MEDIA_ALBUM'].map(isDelivered)).toEqual([true, true, true]);
  expect(['HIDDEN', 'SCHEDULED_MESSAGE'].map(isDelivered)).toEqual([false, false]);
});

it('a status posted to a group is a status, not a message of its chat', () => {
  const isStatus = (one: PageMessage) => [isPost(one), messageModel(one).isStatus];
  expect(isStatus(message({ isGroupStatus: true }))).toEqual([true, true]);
  expect(isStatus(message({}, 'status@broadcast'))).toEqual([true, true]);
  expect(isStatus(message({}))).toEqual([false, false]);
});
