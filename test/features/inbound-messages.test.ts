import { sendText } from '@chat-web/host';
import { ADA, BEN, CARLA, downloadedBytes, media } from '@chat-web/testing';
import type { EventLog } from '@chat-web/testing/stack';
import { expectRefused, sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const stack = sharedStack();
let events: EventLog;
const [ada, ben] = [`${ADA}@c.us`, `${BEN}@c.us`];
beforeAll(async () => {
  await stack.link('main', ADA);
  events = await stack.listen('main');
});

const received = (wanted: string) => events.until('message', ({ body }) => body === wanted);

const PNG = Buffer.from(media.find(({ type }) => type === 'image')?.bytes ?? []).toString('base64');

describe('the sender of a message', () => {
  const HARRY = { number: '12025550188', name: 'Harry "H" 🎩', lid: '81604523377188', hiddenNumber: true };
  it('has the name that the person chose, a stranger in a group too, in events, answers and lists', async () => {
    await stack.phones.addAccount(HARRY);
    const { id: group } = await stack.createGroup(BEN, { subject: 'Party', participants: [ADA, HARRY.number] });
    await stack.phones.send(HARRY.number, { to: group, body: 'who am I?' });
    await stack.phones.send(BEN, { to: ADA, body: 'and me?' });
    const stranger = await received('who am I?');
    expect(stranger).toMatchObject({ from: group, author: `${HARRY.lid}@lid`, senderName: HARRY.name });
    expect(await received('and me?')).toMatchObject({ senderName: 'Ben Okafor' });
    const { messages } = await stack.client.listMessages({ id: 'main', chatId: group });
    expect(messages.at(-1)).toMatchObject({ body: 'who am I?', senderName: HARRY.name });
    expect(await stack.client.getMessage({ id: 'main', messageId: stranger.id })).toMatchObject({
      senderName: HARRY.name,
    });
    const sent = await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'you are Ben' });
    expect(sent).not.toHaveProperty('senderName');
  });
});

describe('a reply has what it quotes', () => {
  const reply = async (body: string, quotedMessageId: string) => {
    await stack.phones.send(BEN, { to: ADA, body, quotedMessageId });
    return received(body);
  };
  const send = (body: string) => stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body });

  it('of a message that was deleted here', async () => {
    const sent = await send('keep it');
    await stack.client.deleteMessage({ id: 'main', messageId: sent.id, forEveryone: false });
    const quoted = { id: sent.id, author: ada, type: 'text', body: 'keep it' };
    expect(await reply('kept', sent.id)).toMatchObject({ quotedMessageId: sent.id, quoted });
  });

  it('of an image, with its caption, which the account quotes too', async () => {
    const image = { kind: 'image', base64: PNG, mimeType: 'image/png' } as const;
    const { id } = await stack.phones.send(BEN, { to: ADA, body: 'look', media: image });
    const quoted = { id: `false_${ben}_${id}`, author: ben, type: 'image', body: 'look' };
    expect(await reply('did you?', id)).toMatchObject({ quoted });
    await received('look');
    const sent = { id: 'main', type: 'text', to: BEN, body: 'I did', quotedMessageId: quoted.id } as const;
    expect(await stack.client.sendMessage(sent)).toMatchObject({ quoted });
    expect((await stack.phones.messages(ADA, { with: BEN })).at(-1)).toMatchObject({ quotedBody: 'look' });
  });

  it('of a status of the account', async () => {
    const status = await stack.client.postStatus({ id: 'main', type: 'text', body: 'on holiday' });
    await stack.phones.settled();
    await reply('where?', status.id);
    const quoted = { author: expect.any(String), type: 'text', body: 'on holiday' };
    expect(await received('where?')).toMatchObject({ quotedMessageId: expect.stringContaining('status'), quoted });
  });

  it('of a message that this device never had, cut if it is long', async () => {
    const quotedMsg = { type: 'document', caption: `${'x'.repeat(5_000)}`, body: 'thumbnail' };
    const fields = { quotedMsg, quotedStanzaID: '3EB0FF', quotedParticipant: ada };
    await stack.phones.send(BEN, { to: ADA, body: 'from another time', fields });
    const quoted = { id: `true_${ben}_3EB0FF`, author: ada, type: 'document', body: 'x'.repeat(4_096) };
    expect(await received('from another time')).toMatchObject({ quoted });
  });
});

describe('contact cards', () => {
  const zoe = 'BEGIN:VCARD\nVERSION:3.0\nFN:Zoe\\, Smith\nitem1.TEL;waid=12025550199:+1 202-555-0199\nEND:VCARD';
  const bob = 'BEGIN:VCARD\nVERSION:2.1\nFN;ENCODING=QUOTED-PRINTABLE:B=C3=B6b\nEND:VCARD';

  it('have their names and numbers, besides the cards themselves', async () => {
    await stack.phones.send(BEN, { to: ADA, contacts: [{ name: 'Zoe', vcard: zoe }] });
    const contacts = [{ name: 'Zoe, Smith', numbers: ['+12025550199'] }];
    expect(await received(zoe)).toMatchObject({ type: 'contact', contacts });
    await stack.phones.send(BEN, {
      to: ADA,
      contacts: [
        { name: 'Zoe', vcard: zoe },
        { name: 'B', vcard: bob },
      ],
    });
    const both = [...contacts, { name: 'Böb', numbers: [] }];
    expect(await received(`${zoe}\n${bob}`)).toMatchObject({ type: 'contact', contacts: both });
  });

  it('have them in the response to a send, too', async () => {
    const contacts = [{ name: 'Zoe', number: '+12025550199' }];
    const sent = await stack.client.sendMessage({ id: 'main', type: 'contact', to: BEN, contacts });
    expect(sent).toMatchObject({ contacts: [{ name: 'Zoe', numbers: ['+12025550199'] }] });
  });
});

it('a video note is a video, and can be downloaded, but only its sender can forward it', async () => {
  const bytes = Buffer.from(media.find(({ type }) => type === 'video')?.bytes ?? []);
  const note = { kind: 'note', base64: bytes.toString('base64'), mimeType: 'video/mp4' } as const;
  await stack.phones.send(BEN, { to: ADA, media: note });
  const { id: messageId, ...message } = await events.until('message', ({ note }) => note === true);
  expect(message).toMatchObject({ type: 'video', body: '', hasMedia: true, mimeType: 'video/mp4' });
  expect(await downloadedBytes(await stack.client.getMedia({ id: 'main', messageId }))).toEqual(bytes);
  const forward = (messageId: string) => stack.client.forwardMessage({ id: 'main', to: CARLA, messageId });
  await expectRefused([forward(messageId)], { code: 'not_permitted' });
  const { id } = await stack.phones.send(ADA, { to: BEN, media: note });
  await stack.settled();
  const forwarded = await forward(`true_${ben}_${id}`);
  expect(forwarded).toMatchObject({ type: 'video', note: true, isForwarded: false });
  expect(await stack.onPhone(CARLA, forwarded.id)).toMatchObject({ type: 'note', size: bytes.length });
});

describe('communities', () => {
  it('say what each group is in them, and take no messages themselves', async () => {
    const of = (subject: string, community: Parameters<typeof stack.phones.createGroup>[1]['community']) =>
      stack.createGroup(BEN, { subject, participants: [ADA], community });
    const { id: parent } = await of('Neighbours', { role: 'parent' });
    const { id: news } = await of('Neighbours', { role: 'announcements', id: parent });
    const { id: party } = await of('Street party', { role: 'group', id: parent });
    const { id: other } = await of('Chess', undefined);
    const expected = [
      [parent, { id: parent, role: 'parent' }],
      [news, { id: parent, role: 'announcements' }],
      [party, { id: parent, role: 'group' }],
      [other, undefined],
    ] as const;
    const groups = await stack.client.listGroups({ id: 'main' });
    for (const [groupId, community] of expected) {
      expect(groups.find(({ id }) => id === groupId)?.community).toEqual(community);
      expect((await stack.client.getGroup({ id: 'main', groupId })).community).toEqual(community);
      if (groupId === parent) continue;
      await stack.phones.send(BEN, { to: groupId, body: `in ${groupId}` });
      expect((await received(`in ${groupId}`)).community).toEqual(community);
      const sent = await sendText(stack.client, { id: 'main', type: 'text', to: groupId, body: 'I come' });
      expect(sent.community).toEqual(community);
    }
    const chats = await stack.client.listChats({ id: 'main' });
    for (const [groupId, community] of expected.filter(([id]) => id !== parent))
      expect(chats.find(({ id }) => id === groupId)?.community).toEqual(community);
    const theirs = await received(`in ${party}`);
    await expectRefused(
      [
        stack.client.sendMessage({ id: 'main', type: 'text', to: parent, body: 'lost' }),
        stack.client.sendMessage({ id: 'main', type: 'image', to: parent, base64: PNG }),
        stack.client.forwardMessage({ id: 'main', to: parent, messageId: theirs.id }),
      ],
      { code: 'not_permitted', message: expect.stringContaining('community') },
    );
    expect(await stack.phones.messages(BEN, { with: parent })).toEqual([]);
  });
});
