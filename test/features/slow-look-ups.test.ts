import { setTimeout as delay } from 'node:timers/promises';
import { ADA, BEN, eventually, FARID } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const SHY = { number: '12025550189', name: 'Shy Shirley', lid: '81604523377189', addressing: 'lid' } as const;

describe('when the network is slow to look people up, long after a link', () => {
  const stack = sharedStack();
  beforeAll(() => stack.linkLongAgo('main', ADA));

  it('a hidden or missing picture is answered with nothing', async () => {
    for (const kind of ['none', 'private'] as const) {
      await stack.phones.profile(FARID, { picture: kind });
      expect(await stack.client.getPicture({ id: 'main', contactId: FARID })).toBeNull();
    }
  });

  it('a picture is deferred if neither id gets an answer', async () => {
    await stack.phones.profile(FARID, { picture: 'present', pictureDelayMs: 60_000 });
    const startedAt = Date.now();
    const picture = stack.client.getPicture({ id: 'main', contactId: FARID });
    await expect(picture).rejects.toMatchObject({ code: 'rate_limited' });
    expect(Date.now() - startedAt).toBeLessThan(20_000);
  });
});

// These tests mostly wait.
describe.concurrent('when the network is slow to look people up', () => {
  it('there are no automatic look-ups in the first minutes after a link', async () => {
    await using stack = await Stack.start({ settings: { CHAT_WEB_SILENCE_TIMEOUT_SECONDS: '10' } });
    const { phones } = stack;
    await phones.addAccount(SHY);
    const { id: groupId } = await phones.createGroup(SHY.number, { subject: 'A group', participants: [ADA] });
    await stack.link('main', ADA);
    const events = await stack.listen('main');
    await phones.send(SHY.number, { to: groupId, body: 'from Shirley' });
    expect(await events.until('message', ({ body }) => body === 'from Shirley')).toMatchObject({
      author: `${SHY.lid}@lid`,
    });
    await stack.client.restartSession({ id: 'main' });
    await stack.untilStatus('main', 'ready');
    // The silence timeout, and two probes.
    await delay(32_000);
    expect((await phones.account(ADA)).lookUps).toEqual([]);
    await eventually(() => expect(events.all('disconnected')).toHaveLength(1));
  });

  it('a group is read without its participants; a left group is not found, even if the page never had them', async () => {
    await using stack = await Stack.start();
    await stack.link('main', ADA);
    const make = (subject: string) => stack.phones.createGroup(BEN, { subject, participants: [ADA, FARID] });
    const [{ id: groupId }, { id: leftId }] = [await make('Stays'), await make('Left')];
    const get = (id: string) => stack.client.getGroup({ id: 'main', groupId: id });
    for (const id of [groupId, leftId]) await eventually(() => get(id));
    await stack.client.leaveGroup({ id: 'main', groupId: leftId });
    await stack.phones.configure({ participantsDelayMs: 60_000, groupsStored: false });
    await stack.client.restartSession({ id: 'main' });
    const group = await get(groupId);
    expect(group).toMatchObject({ id: groupId, subject: 'Stays' });
    expect(group).not.toHaveProperty('participants');
    await stack.phones.configure({ participantsDelayMs: 50 });
    await stack.client.restartSession({ id: 'main' });
    const ofGroup = { id: 'main', groupId: leftId };
    const calls = [
      get(leftId),
      stack.client.promoteParticipants({ ...ofGroup, participants: [FARID] }),
      stack.client.setGroupDescription({ ...ofGroup, description: 'x' }),
      stack.client.updateGroupSettings({ ...ofGroup, editInfo: 'everyone' }),
    ];
    const codes = await Promise.all(calls.map((call) => call.then(() => 'done').catch(({ code }) => code)));
    expect(codes).toEqual(calls.map(() => 'chat_not_found'));
  });
});
