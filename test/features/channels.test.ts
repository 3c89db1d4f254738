import { ADA, BEN, eventually } from '@chat-web/testing';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const OWN = '120363000000000021@newsletter';
const NEWS = '120363000000000022@newsletter';
const NONE = '120363000000000029@newsletter';

describe('channels', () => {
  const stack = sharedStack();
  let inviteCode: string;
  beforeAll(async () => {
    const { phones } = stack;
    await phones.createChannel(ADA, { id: OWN, name: 'Ours' });
    ({ inviteCode } = await phones.createChannel(BEN, { id: NEWS, name: 'News', description: 'Of the street' }));
    for (let n = 1; n <= 60; n += 1) await phones.postToChannel(BEN, NEWS, `news ${n}`);
    await stack.link('main', ADA);
  });

  const refuse = (request: string, code: number | null) =>
    stack.phones.refuseRequests(ADA, { requests: [request], code });
  const news = (role: string) => ({
    id: NEWS,
    name: 'News',
    description: 'Of the street',
    role,
    inviteCode,
    isVerified: false,
    followers: role === 'guest' ? 0 : 1,
  });

  it('of the account are listed; others are found by id or invite code, and a look-up opens none', async () => {
    const { client } = stack;
    const own = { id: OWN, name: 'Ours', role: 'owner', followers: 0, isVerified: false };
    expect(await client.listChannels({ id: 'main' })).toEqual([{ ...own, inviteCode: expect.any(String) }]);
    for (const channelId of [NEWS, inviteCode])
      expect(await client.getChannel({ id: 'main', channelId })).toEqual(news('guest'));
    expect(await client.getChannel({ id: 'main', channelId: OWN })).toMatchObject(own);
    expect(await client.listChannels({ id: 'main' })).toHaveLength(1);
    expect((await client.listChats({ id: 'main' })).filter(({ id }) => id.endsWith('@newsletter'))).toEqual([]);
  });

  it('are followed, read and unfollowed', async () => {
    const { client, phones } = stack;
    for (const _ of ['first', 'again'])
      expect(await client.followChannel({ id: 'main', channelId: NEWS })).toEqual({ channelId: NEWS, following: true });
    expect((await phones.channel(NEWS)).followers).toEqual([ADA]);
    expect(await client.listChannels({ id: 'main' })).toContainEqual({ ...news('subscriber'), followers: 0 });
    expect(await client.getChannel({ id: 'main', channelId: NEWS })).toEqual(news('subscriber'));

    const bodies = async (limit?: number) =>
      (await client.listChannelMessages({ id: 'main', channelId: NEWS, limit })).map(({ body }) => body);
    expect(await bodies(3)).toEqual(['news 58', 'news 59', 'news 60']);
    expect(await bodies()).toEqual(Array.from({ length: 50 }, (_, n) => `news ${n + 11}`));
    expect(await bodies(100)).toHaveLength(60);
    await phones.postToChannel(BEN, NEWS, 'the latest');
    await eventually(async () => expect(await bodies(1)).toEqual(['the latest']));
    const [latest] = await client.listChannelMessages({ id: 'main', channelId: NEWS, limit: 1 });
    expect(latest).toMatchObject({ from: NEWS, fromMe: false, type: 'text' });

    expect(await client.unfollowChannel({ id: 'main', channelId: NEWS })).toEqual({
      channelId: NEWS,
      following: false,
    });
    expect((await phones.channel(NEWS)).followers).toEqual([]);
    expect((await client.listChannels({ id: 'main' })).map(({ id }) => id)).toEqual([OWN]);
  });

  it('are followed even if the page fails at something else afterwards', async () => {
    const { client, phones } = stack;
    await refuse('channel-add-ons', 500);
    const following = await client.followChannel({ id: 'main', channelId: NEWS });
    expect(following).toEqual({ channelId: NEWS, following: true });
    expect((await phones.channel(NEWS)).followers).toEqual([ADA]);
    await refuse('channel-add-ons', null);
    await client.unfollowChannel({ id: 'main', channelId: NEWS });
  });

  it('accept texts from those who may post, and their followers receive them', async () => {
    const { client, phones } = stack;
    const posted = await client.postToChannel({ id: 'main', channelId: OWN, body: 'Closed on Monday 🎉' });
    expect(posted).toMatchObject({ body: 'Closed on Monday 🎉', fromMe: true, ack: 1, to: OWN });
    const { posts } = await phones.channel(OWN);
    expect(posts.map(({ id, body }) => [posted.id.includes(id), body])).toEqual([[true, 'Closed on Monday 🎉']]);
    const messages = await client.listChannelMessages({ id: 'main', channelId: OWN });
    expect(messages.map(({ id }) => id)).toEqual([posted.id]);
    await client.followChannel({ id: 'main', channelId: NEWS });
    const notOurs = client.postToChannel({ id: 'main', channelId: NEWS, body: 'hello' });
    await expect(notOurs).rejects.toMatchObject({ code: 'not_permitted' });
    await client.unfollowChannel({ id: 'main', channelId: NEWS });
  });

  it('that the network refuses, or whose response is lost, are not posted to', async () => {
    const post = () => stack.client.postToChannel({ id: 'main', channelId: OWN, body: 'refused' });
    await stack.phones.refuse(ADA, { kind: 'nack' });
    await expect(post()).rejects.toMatchObject({ code: 'not_permitted' });
    await stack.phones.refuse(ADA, { kind: 'network', code: 500 });
    await expect(post()).rejects.toMatchObject({ code: 'outcome_unknown' });
    await stack.phones.refuse(ADA, { kind: 'none' });
    expect((await stack.phones.channel(OWN)).posts).toHaveLength(1);
  });

  it('that are unknown, or not followed, are errors, and so are refusals of the network', async () => {
    const { client } = stack;
    const unknown = [
      () => client.getChannel({ id: 'main', channelId: NONE }),
      () => client.getChannel({ id: 'main', channelId: 'noSuchInvitation' }),
      () => client.listChannelMessages({ id: 'main', channelId: NEWS }),
      () => client.followChannel({ id: 'main', channelId: NONE }),
      () => client.unfollowChannel({ id: 'main', channelId: NEWS }),
      () => client.postToChannel({ id: 'main', channelId: NONE, body: 'hello' }),
    ];
    for (const [n, call] of unknown.entries())
      await expect(call(), `${n}`).rejects.toMatchObject({ code: 'chat_not_found' });
    await expect(client.unfollowChannel({ id: 'main', channelId: OWN })).rejects.toMatchObject({
      code: 'not_permitted',
    });

    const refusals = [
      [429, 'rate_limited', 'rate_limited'],
      [451, 'not_permitted', 'not_permitted'],
      // The page uses this code for every failure of a request, including a response that it cannot read.
      [500, 'client_failed', 'outcome_unknown'],
    ] as const;
    for (const [refused, code, ofChange] of refusals) {
      await refuse('channel', refused);
      await expect(client.getChannel({ id: 'main', channelId: NEWS })).rejects.toMatchObject({ code });
      await refuse('channel', null);
      await refuse('follow-channel', refused);
      await expect(client.followChannel({ id: 'main', channelId: NEWS })).rejects.toMatchObject({ code: ofChange });
      await refuse('follow-channel', null);
    }
    await client.followChannel({ id: 'main', channelId: NEWS });
    await refuse('unfollow-channel', 429);
    const leaving = client.unfollowChannel({ id: 'main', channelId: NEWS });
    await expect(leaving).rejects.toMatchObject({ code: 'rate_limited' });
    await refuse('unfollow-channel', null);
  });

  it('invalid input is refused by name', async () => {
    const { client } = stack;
    const calls = [
      ['channelId', () => client.getChannel({ id: 'main', channelId: 'a b' })],
      ['channelId', () => client.followChannel({ id: 'main', channelId: inviteCode })],
      ['limit', () => client.listChannelMessages({ id: 'main', channelId: OWN, limit: 101 })],
      ['body', () => client.postToChannel({ id: 'main', channelId: OWN, body: ' ' })],
    ] as const;
    for (const [path, call] of calls) {
      await expect(call(), path).rejects.toMatchObject({
        code: 'invalid_request',
        issues: [expect.objectContaining({ path })],
      });
    }
  });

  it('are still followed after a restart', async () => {
    const { client } = stack;
    await client.restartSession({ id: 'main' });
    await stack.untilStatus('main', 'ready');
    const channels = await client.listChannels({ id: 'main' });
    expect(channels.map(({ id, role }) => [id, role]).sort()).toEqual([
      [OWN, 'owner'],
      [NEWS, 'subscriber'],
    ]);
    expect(await client.listChannelMessages({ id: 'main', channelId: NEWS, limit: 100 })).toHaveLength(61);
  });
});
