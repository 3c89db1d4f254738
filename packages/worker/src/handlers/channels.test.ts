import { expect, it } from 'vitest';
import { freshHandlers, messageModel } from '../testing/fake-page.ts';
import { channelHandlers } from './channels.ts';

const channelId = '120363000000000001@newsletter';
const ofChannel = { id: 'main', channelId };
const model = { id: channelId, name: 'News', role: 'subscriber', followers: 3, inviteCode: '0029Va', isVerified: true };

const { context, handlers } = freshHandlers(channelHandlers);

it('an unreadable channel or message does not fail the others', async () => {
  const bad = [
    { ...model, id: 'x' },
    { ...model, role: 'king' },
    { ...model, followers: -1 },
  ] as never[];
  context.page.on('listChannels', () => [...bad, { ...model, description: undefined }]);
  expect(await handlers.listChannels({ id: 'main' })).toEqual([model]);
  context.page.on('listChannelMessages', () => [{} as never, messageModel({ body: 'news' })]);
  const read = await handlers.listChannelMessages({ ...ofChannel, limit: 2 });
  expect(read.map(({ body }) => body)).toEqual(['news']);
});

it('an invalid channel is an error', async () => {
  context.page.on('getChannel', () => ({ ...model, description: undefined, role: 'king' }));
  await expect(handlers.getChannel(ofChannel)).rejects.toMatchObject({ code: 'client_failed' });
});

it('a post without a readable result may have been sent', async () => {
  context.page.on('postToChannel', () => ({}) as never);
  const posting = handlers.postToChannel({ ...ofChannel, body: 'hello' });
  await expect(posting).rejects.toMatchObject({ code: 'outcome_unknown' });
});
