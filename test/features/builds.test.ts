import { sendText } from '@chat-web/host';
import { type Build, builds } from '@chat-web/simulator';
import { ADA, BEN, CARLA, downloadedBytes, eventually, media, rounds, sha256 } from '@chat-web/testing';
import { type EventLog, stanzaOf } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

/** What a build does not support: an old one has another function for the messages of a chat. */
const LACKS: Partial<Record<Build, readonly string[]>> = { '2026-01': ['listMessages'] };

const oldestAndNewest = [...builds.slice(0, 1), ...builds.slice(-1)];

for (const build of rounds<readonly Build[]>({ few: oldestAndNewest, all: builds })) {
  describe(`a session on the page of ${build}`, () => {
    // A dialog that stays open would unlink the account during these stories. Modules load on demand where they can.
    const stack = sharedStack({
      build,
      simulator: { onboardingMs: 30_000, moreLazyModules: true, lateModulesMs: 1_500 },
    });
    let events: EventLog;
    beforeAll(async () => {
      await stack.phones.profile(BEN, { picture: 'present' });
      await stack.phones.createGroup(ADA, { subject: 'Never opened', participants: [BEN] });
      await stack.link('main', ADA);
      events = await stack.listen('main');
    });

    const send = async (message: object) => {
      const sent = await stack.client.sendMessage({ id: 'main', to: BEN, ...message } as never);
      if (!('timestamp' in sent)) throw new Error('not a message');
      return sent;
    };

    it('sends and receives texts, and receives acks', async () => {
      const sent = await send({ type: 'text', body: 'hello' });
      expect(sent.ack).toBeGreaterThanOrEqual(1);
      await events.until('message_ack', ({ id, ack }) => id === sent.id && ack === 2);
      await stack.phones.send(BEN, { to: ADA, body: 'hello yourself', quotedMessageId: stanzaOf(sent.id) });
      expect(await events.until('message', ({ body }) => body === 'hello yourself')).toMatchObject({
        from: `${BEN}@c.us`,
        quotedMessageId: sent.id,
      });
    });

    it('sends once under a key, with an id that was chosen', async () => {
      const input = { id: 'main', type: 'text', to: BEN, body: 'under a key' } as const;
      const [first, second] = [
        await stack.client.sendMessage(input, { idempotencyKey: 'a' }),
        await stack.client.sendMessage(input, { idempotencyKey: 'a' }),
      ];
      expect(second).toEqual(first);
      expect(await stack.onPhone(BEN, first.id)).toMatchObject({ body: 'under a key' });
      await events.until('message_ack', ({ id, ack }) => id === first.id && ack === 2);
    });

    it.each(media)('sends and receives files of type $type, and downloads them', async ({ type, mimeType, bytes }) => {
      const base64 = Buffer.from(bytes).toString('base64');
      const out = await send({ type, base64, mimeType, filename: `a.${type}` });
      expect(await eventually(() => stack.phones.media(BEN, stanzaOf(out.id)))).toMatchObject({
        sha256: sha256(bytes),
      });
      expect(sha256(await downloadedBytes(await stack.client.getMedia({ id: 'main', messageId: out.id })))).toBe(
        sha256(bytes),
      );

      const inbound = await stack.phones.send(BEN, { to: ADA, media: { kind: type, base64, mimeType } });
      const { id } = await events.until('message', (message) => stanzaOf(message.id) === inbound.id);
      expect(sha256(await downloadedBytes(await stack.client.getMedia({ id: 'main', messageId: id })))).toBe(
        sha256(bytes),
      );
    });

    it('posts texts and images to the status feed, and answers with what was posted', async () => {
      const [png] = media;
      const text = await stack.client.postStatus({ id: 'main', type: 'text', body: 'good morning' });
      const base64 = Buffer.from(png?.bytes ?? []).toString('base64');
      const image = await stack.client.postStatus({ id: 'main', type: 'image', base64, caption: 'look' } as never);
      const seen = await eventually(async () => {
        const statuses = await stack.phones.statuses(BEN);
        expect(statuses).toHaveLength(2);
        return statuses;
      });
      expect(seen.map(({ id }) => id)).toEqual([stanzaOf(text.id), stanzaOf(image.id)]);
      expect(seen.map(({ body }) => body)).toEqual(['good morning', 'look']);
      await stack.client.deleteMessage({ id: 'main', messageId: image.id, forEveryone: true });
      await eventually(async () => expect(await stack.phones.statuses(BEN)).toHaveLength(1));
    });

    it('reacts, edits and deletes', async () => {
      const { id } = await send({ type: 'text', body: 'a tpyo' });
      await stack.client.sendMessage({ id: 'main', type: 'reaction', messageId: id, emoji: '👍' });
      await stack.client.editMessage({ id: 'main', messageId: id, body: 'none' });
      const onPhone = () => stack.onPhone(BEN, id);
      await eventually(async () =>
        expect(await onPhone()).toMatchObject({ body: 'none', reactions: [{ emoji: '👍' }] }),
      );
      expect(await stack.client.deleteMessage({ id: 'main', messageId: id, forEveryone: true })).toMatchObject({
        deletedFor: 'everyone',
      });
      await eventually(async () => expect(await onPhone()).toMatchObject({ type: 'revoked' }));
    });

    it('lists and changes a group that was never opened', async () => {
      const [group] = await stack.client.listGroups({ id: 'main' });
      expect(group).toMatchObject({ subject: 'Never opened', participantCount: 2, isAdmin: true });
      const groupId = group?.id ?? '';
      await stack.client.restartSession({ id: 'main' });
      await stack.untilStatus('main', 'ready');
      await stack.client.renameGroup({ id: 'main', groupId, subject: 'Opened' });
      await sendText(stack.client, { id: 'main', type: 'text', to: groupId, body: 'hello' });
      expect(await stack.client.leaveGroup({ id: 'main', groupId })).toEqual({ groupId, left: true });
      const again = stack.client.leaveGroup({ id: 'main', groupId });
      await expect(again).rejects.toMatchObject({ code: 'chat_not_found' });
    });

    it('creates and changes groups in which all members may write, and lists them with their members', async () => {
      const groupId = await stack.client.createGroup({ id: 'main', subject: 'Trip', participants: [BEN] });
      await sendText(stack.client, { id: 'main', type: 'text', to: groupId, body: 'hello all' });
      await eventually(() => stack.phones.send(BEN, { to: groupId, body: 'from a member' }));
      expect(await events.until('message', ({ body }) => body === 'from a member')).toMatchObject({
        from: groupId,
        author: `${BEN}@c.us`,
      });
      const change = { id: 'main', groupId, participants: [CARLA] };
      expect(await stack.client.addParticipants(change)).toMatchObject({ participants: [{ ok: true }] });
      const listed = () => stack.client.listGroups({ id: 'main' });
      await eventually(async () =>
        expect(await listed()).toEqual([{ id: groupId, subject: 'Trip', participantCount: 3, isAdmin: true }]),
      );
      await stack.client.renameGroup({ id: 'main', groupId, subject: 'Better trip' });
      expect(await stack.client.removeParticipants(change)).toMatchObject({ participants: [{ ok: true }] });
      expect(await stack.client.leaveGroup({ id: 'main', groupId })).toEqual({ groupId, left: true });
      await eventually(async () => expect(await listed()).toEqual([]));
    });

    it('lists contacts with their names, and returns their pictures', async () => {
      const contacts = await stack.client.listContacts({ id: 'main' });
      expect(contacts.find(({ number }) => number === BEN)).toMatchObject({
        id: `${BEN}@c.us`,
        lid: expect.stringMatching(/@lid$/),
        name: 'Ben Okafor',
      });
      expect(new Set(contacts.map(({ id }) => id)).size).toBe(contacts.length);
      const picture = await stack.client.getPicture({ id: 'main', contactId: BEN });
      expect((await downloadedBytes(picture)).length).toBeGreaterThan(100);
      expect(await stack.client.numberExists({ id: 'main', number: BEN })).toEqual({
        number: BEN,
        exists: true,
        id: `${BEN}@c.us`,
      });
    });

    it('sends polls and locations, and pages back through a chat', async () => {
      const poll = await send({ type: 'poll', question: 'When?', options: ['Friday', 'Saturday'] });
      const asked = { question: 'When?', options: ['Friday', 'Saturday'], multiple: false };
      expect(await stack.onPhone(BEN, poll.id)).toMatchObject({ type: 'poll', poll: asked });
      const place = await send({ type: 'location', latitude: 52.5, longitude: 13.4, name: 'Gate' });
      const location = { latitude: 52.5, longitude: 13.4, name: 'Gate' };
      expect(await stack.onPhone(BEN, place.id)).toMatchObject({ type: 'location', location });
      const page = stack.client.listMessages({ id: 'main', chatId: BEN, before: place.id, limit: 1 });
      if (LACKS[build]?.includes('listMessages'))
        await expect(page).rejects.toMatchObject({ code: 'page_unsupported' });
      else expect(await page).toMatchObject({ messages: [{ id: poll.id, type: 'poll' }], hasMore: true });
    });

    it('describes a group, archives and mutes its chat, and returns the profile of the account', async () => {
      const { id: groupId } = await stack.phones.createGroup(ADA, { subject: 'Plans', participants: [BEN] });
      const get = () => stack.client.getGroup({ id: 'main', groupId });
      expect(await eventually(get)).toMatchObject({ subject: 'Plans', isAdmin: true, participantCount: 2 });
      for (const description of ['By sea', 'By train']) {
        await stack.client.setGroupDescription({ id: 'main', groupId, description });
        const onPhone = (await stack.phones.groups(BEN)).find(({ id }) => id === groupId);
        expect(onPhone?.description).toBe(description);
        await eventually(async () => expect(await get()).toMatchObject({ description }));
      }
      const chat = { id: 'main', chatId: groupId };
      expect(await stack.client.archiveChat({ ...chat, archived: true })).toMatchObject({ archived: true });
      const mutedUntil = 'forever';
      expect(await stack.client.muteChat({ ...chat, until: mutedUntil })).toMatchObject({ archived: true, mutedUntil });
      const own = { id: `${ADA}@c.us`, name: 'Ada Marsh', isBusiness: false };
      expect(await stack.client.getProfile({ id: 'main' })).toMatchObject(own);
    });

    // Modules that load on demand are looked up again, some time after the start.
    it('reports the version of its page, and what the page lacks', async () => {
      const { pageVersion } = await eventually(async () => {
        const status = await stack.client.getSessionStatus({ id: 'main' });
        expect(status.degraded?.map(({ capability }) => capability)).toEqual(LACKS[build] ?? []);
        return status;
      });
      expect(pageVersion).toMatch(/^2\.3000\.\d+$/);
      const metrics = await (await fetch(new URL('/metrics', stack.gateway.url))).text();
      expect(metrics).toContain(`chat_web_session_page_info{session="main",version="${pageVersion}"} 1`);
    });

    it('stays linked, since the onboarding dialog of the page is answered', async () => {
      await eventually(async () => {
        const linkedAt = (await stack.phones.account(ADA)).devices[0]?.linkedAt ?? '';
        expect(Date.now() - Date.parse(linkedAt)).toBeGreaterThan(9_000);
      });
      expect((await stack.client.getSessionStatus({ id: 'main' })).status).toBe('ready');
      const lost = events.all('disconnected').filter(({ reason }) => reason !== 'REQUESTED');
      expect(lost).toEqual([]);
    });
  });
}
