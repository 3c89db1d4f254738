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
  context.page.on('readChannel', () => ({ ...model, description: undefined, role: 'king' }));
  await expect(handlers.getChannel(ofChannel)).rejects.toMatchObject({ code: 'client_failed' });
});

it.each([
  [404, 'chat_not_found'],
  [403, 'not_permitted'],
  [405, 'not_permitted'],
  [419, 'not_permitted'],
  [423, 'not_permitted'],
  [429, 'rate_limited'],
  [409, 'client_failed'],
  [500, 'outcome_unknown'],
])('a refusal of the network %i is %s', async (refused, code) => {
  context.page.on('followChannel', () => ({ refused }));
  await expect(handlers.followChannel(ofChannel)).rejects.toMatchObject({ code });
});

it('a post without a readable result may have been sent', async () => {
  for (const answer of [undefined, { message: {} as never }]) {
    context.page.on('postToChannel', () => answer);
    const posting = handlers.postToChannel({ ...ofChannel, body: 'hello' });
    await expect(posting).rejects.toMatchObject({ code: 'outcome_unknown' });
  }
});
