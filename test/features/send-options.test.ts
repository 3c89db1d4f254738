import type { InputOf, Message } from '@chat-web/protocol';
import { ADA, BEN, CARLA, eventually, media } from '@chat-web/testing';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const CARLA_LID = '81604523377103';
const [png] = media;
const base64 = Buffer.from(png?.bytes ?? []).toString('base64');

const stack = sharedStack();
let group: string;
let hidden: string;
beforeAll(async () => {
  await stack.link('main', ADA);
  group = (await stack.createGroup(ADA, { subject: 'By number', participants: [BEN, CARLA] })).id;
  // She has a hidden number, and so have all members of a group that she creates.
  hidden = (await stack.createGroup(CARLA, { subject: 'By hidden id', participants: [ADA, BEN] })).id;
  await stack.phones.send(CARLA, { to: hidden, body: 'welcome' });
});

const send = async (message: object) => {
  const input = { id: 'main', to: BEN, ...message } as unknown as InputOf<'sendMessage'>;
  return (await stack.client.sendMessage(input)) as Message;
};
const sentText = async (message: object) => stack.onPhone(BEN, (await send({ type: 'text', ...message })).id);
const issuesOf = (message: object) =>
  send(message).then(
    () => [],
    (error: { code: string; issues?: readonly { path: string }[] }) =>
      error.code === 'invalid_request' ? error.issues?.map(({ path }) => path) : [error.code],
  );

describe('mentions', () => {
  const written = { body: `Hello @${CARLA}, and @${CARLA}0`, mentions: [`+${CARLA}`] };

  it('name a person in a group, in texts and in captions', async () => {
    const expected = { body: written.body, mentions: [`${CARLA}@c.us`] };
    expect(await sentText({ ...written, to: group })).toMatchObject(expected);
    const { id, mentionedIds } = await send({
      type: 'image',
      base64,
      to: group,
      mentions: written.mentions,
      caption: written.body,
    });
    expect(await stack.onPhone(BEN, id)).toMatchObject({ ...expected, type: 'image' });
    expect(mentionedIds).toEqual([`${CARLA}@c.us`]);
  });

  it('are by hidden id where the group knows its members by it, also in the text', async () => {
    const body = `Hello @${CARLA_LID}, and @${CARLA}0`;
    expect(await sentText({ ...written, to: hidden })).toMatchObject({ body, mentions: [`${CARLA}@c.us`] });
    const { id, mentionedIds } = await send({ type: 'text', ...written, to: hidden });
    expect(await stack.onPhone(BEN, id)).toMatchObject({ mentions: [`${CARLA}@c.us`] });
    expect(mentionedIds).toEqual([`${CARLA}@c.us`]);
    // By number if it was written by hidden id.
    const lids = { body: `Hello @${CARLA_LID}`, mentions: [`${CARLA_LID}@lid`] };
    expect(await sentText({ ...lids, to: group })).toMatchObject({ body: `Hello @${CARLA}` });
  });

  it('stay in an edited text that still contains them, unless the edit names others', async () => {
    for (const to of [group, hidden]) {
      const { id } = await send({ type: 'text', body: `Hello @${CARLA}`, mentions: [CARLA], to });
      const edit = async (body: string, mentions?: string[]) => {
        await stack.client.editMessage({ id: 'main', messageId: id, body, ...(mentions ? { mentions } : {}) });
        await eventually(async () => expect((await stack.onPhone(BEN, id)).edited).toBe(true));
        return (await stack.onPhone(BEN, id)).mentions;
      };
      // By number, also where the group knows its members by hidden id.
      expect(await edit(`Hello again, @${CARLA}`)).toEqual([`${CARLA}@c.us`]);
      expect((await stack.onPhone(BEN, id)).body).toBe(`Hello again, @${to === hidden ? CARLA_LID : CARLA}`);
      if (to === hidden) expect(await edit(`Hello, @${CARLA_LID}`)).toEqual([`${CARLA}@c.us`]);
      expect(await edit(`@${BEN} and @${CARLA}`, [BEN, CARLA])).toEqual([`${BEN}@c.us`, `${CARLA}@c.us`]);
      expect(await edit(`@${BEN} and @${CARLA}`, [])).toBeUndefined();
      expect(await edit('Hello')).toBeUndefined();
    }
    const input = { id: 'main', messageId: 'true_1@c.us_A', body: 'x', mentions: [group] };
    await expect(stack.client.editMessage(input)).rejects.toMatchObject({ issues: [{ path: 'mentions.0' }] });
  });

  it('can be of all members in a group, and nowhere else', async () => {
    const all = await send({ type: 'text', body: 'Hello @all', to: group, mentionAll: true });
    expect(all.mentionAll).toBe(true);
    expect(await stack.onPhone(BEN, all.id)).toMatchObject({ mentionsAll: true });
    const image = await send({ type: 'image', base64, to: group, caption: 'Look @all', mentionAll: true });
    expect(image.mentionAll).toBe(true);
    expect(await stack.onPhone(BEN, image.id)).toMatchObject({ type: 'image', body: 'Look @all', mentionsAll: true });
    const plain = await send({ type: 'text', body: 'Hello @all', to: group });
    expect(plain.mentionAll).toBeUndefined();
    expect((await stack.onPhone(BEN, plain.id)).mentionsAll).toBeUndefined();
    expect(await issuesOf({ type: 'text', body: 'Hello', mentionAll: true })).toEqual(['mentionAll']);
    expect(await issuesOf({ type: 'image', base64, mentionAll: true })).toEqual(['mentionAll']);
  });

  it('are people, and not allowed in the status feed', async () => {
    expect(await issuesOf({ type: 'text', ...written, mentions: [BEN, group] })).toEqual(['mentions.1']);
    expect(await issuesOf({ type: 'text', ...written, mentions: Array(1_025).fill(BEN) })).toEqual(['mentions']);
    expect(await issuesOf({ type: 'text', ...written, to: 'status@broadcast' })).toEqual(['mentions']);
  });
});

describe('how media are shown', () => {
  const [video, audio] = ['video', 'audio'].map((kind) => media.find(({ type }) => type === kind));
  const file = (one: typeof video) => ({ base64: Buffer.from(one?.bytes ?? []).toString('base64') });
  // Opus in Ogg, which every machine sends unchanged.
  const opus = Buffer.concat([
    Buffer.from('OggS\0\x02', 'latin1'),
    Buffer.alloc(20),
    Buffer.from('\x01\x13OpusHead\x01\x01', 'latin1'),
    Buffer.alloc(300),
  ]).toString('base64');

  it('audio may be a voice note', async () => {
    const sent = await send({ type: 'audio', base64: opus, voice: true });
    expect(sent).toMatchObject({ type: 'audio', voice: true, mimeType: 'audio/ogg; codecs=opus' });
    expect(await stack.onPhone(BEN, sent.id)).toMatchObject({ type: 'voice', mimeType: 'audio/ogg; codecs=opus' });
    const plain = await send({ type: 'audio', ...file(audio), mimeType: 'audio/mpeg', voice: false });
    expect(await stack.onPhone(BEN, plain.id)).toMatchObject({ type: 'audio', mimeType: 'audio/mpeg' });
    expect(plain.voice).toBeUndefined();
  });

  it('a video may be a GIF', async () => {
    const gif = await send({ type: 'video', ...file(video), gif: true, caption: 'again and again' });
    expect(gif.gif).toBe(true);
    expect(await stack.onPhone(BEN, gif.id)).toMatchObject({ type: 'video', isGif: true, body: 'again and again' });
    expect((await stack.onPhone(BEN, (await send({ type: 'video', ...file(video) })).id)).isGif).toBeUndefined();
  });

  it('images and videos may be for one view', async () => {
    for (const message of [
      { type: 'image', base64 },
      { type: 'video', ...file(video) },
    ]) {
      const once = await send({ ...message, viewOnce: true });
      expect(once.viewOnce).toBe(true);
      expect(await stack.onPhone(BEN, once.id)).toMatchObject({ type: message.type, isViewOnce: true });
      expect((await stack.onPhone(BEN, (await send(message)).id)).isViewOnce).toBeUndefined();
    }
  });

  it('each option is for its kind of media, and not for the status feed', async () => {
    const all = { base64, voice: true, gif: true, note: true, viewOnce: true };
    expect(await issuesOf({ type: 'image', ...all })).toEqual(['voice', 'gif', 'note']);
    expect(await issuesOf({ type: 'video', ...all, note: false })).toEqual(['voice']);
    expect(await issuesOf({ type: 'video', ...all, caption: 'Hi' })).toEqual(['caption', 'gif', 'viewOnce', 'voice']);
    expect(await issuesOf({ type: 'audio', ...all })).toEqual(['gif', 'note', 'viewOnce']);
    expect(await issuesOf({ type: 'sticker', ...all })).toEqual(['voice', 'gif', 'note', 'viewOnce']);
    expect(await issuesOf({ type: 'video', base64, note: true, to: 'status@broadcast' })).toEqual(['note']);
    expect(await issuesOf({ type: 'image', base64, viewOnce: true, to: 'status@broadcast' })).toEqual(['viewOnce']);
  });
});

describe('the preview of a link', () => {
  const body = 'See https://example.com/a for more';

  it('is added unless it is switched off', async () => {
    const linkPreview = { title: 'The page at example.com', description: 'https://example.com/a' };
    expect(await sentText({ body })).toMatchObject({ body, linkPreview });
    expect(await sentText({ body, linkPreview: true })).toMatchObject({ body, linkPreview });
    expect((await sentText({ body, linkPreview: false })).linkPreview).toBeUndefined();
    expect((await sentText({ body: 'no link' })).linkPreview).toBeUndefined();
    // As in the page's own text field.
    for (const other of ['me@example.com', 'example.com', 'It is done.Next week', '```https://example.com/a```'])
      expect((await sentText({ body: other })).linkPreview).toBeUndefined();
    expect(await issuesOf({ type: 'text', body, linkPreview: 'no' })).toEqual(['linkPreview']);
  });

  it('stays in an edited text that still has the link, and is removed with it', async () => {
    const { id: messageId } = await send({ type: 'text', body });
    const edit = async (text: string) => {
      await stack.client.editMessage({ id: 'main', messageId, body: text });
      return stack.onPhone(BEN, messageId);
    };
    const linkPreview = expect.objectContaining({ title: 'The page at example.com' });
    expect(await edit('Or at https://example.com/a')).toMatchObject({
      body: 'Or at https://example.com/a',
      linkPreview,
    });
    expect((await edit('Nowhere')).linkPreview).toBeUndefined();
  });

  it('is not awaited if the phone that creates it is off', async () => {
    await stack.phones.setOnline(ADA, false);
    const sent = await sentText({ body });
    await stack.phones.setOnline(ADA, true);
    expect(sent.linkPreview).toBeUndefined();
  });

  it('is not required for a text', async () => {
    await stack.phones.configure({ missingModules: ['WALinkify', 'WAWebLinkPreviewChatAction'] });
    await stack.client.restartSession({ id: 'main' });
    await stack.untilStatus('main', 'ready');
    expect((await sentText({ body })).linkPreview).toBeUndefined();
    await stack.phones.configure({ missingModules: [] });
  });
});

it('messages in a chat whose messages disappear have its timer', async () => {
  await send({ type: 'text', to: CARLA, body: 'to keep' });
  await stack.phones.mark(ADA, { chat: CARLA, messageTimer: 86_400 });
  await stack.settled();
  const { id } = await send({ type: 'text', to: CARLA, body: 'for a day' });
  const image = await send({ type: 'image', to: CARLA, base64 });
  const forwarded = await stack.client.forwardMessage({ id: 'main', messageId: id, to: BEN });
  for (const one of [id, image.id]) expect(await stack.onPhone(CARLA, one)).toMatchObject({ messageTimer: 86_400 });
  expect(await stack.onPhone(BEN, forwarded.id)).not.toHaveProperty('messageTimer');
});
