import { MESSAGE_TYPES, type Message } from '@chat-web/protocol';
import { ADA, BEN, idOf, media } from '@chat-web/testing';
import { type EventLog, stanzaOf } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, expect, it } from 'vitest';

type Sent = Omit<Parameters<typeof stack.phones.send>[1], 'to'>;
/** What is sent, with a name; and what the event has besides its ids, or that there is none. */
type Kind = readonly [name: string, sent: Sent, event: Partial<Message> | 'none'];

const fileOf = (kind: 'image' | 'video' | 'audio' | 'document' | 'sticker') => {
  const { bytes, mimeType } = media.find(({ type }) => type === kind) ?? media[0];
  return { base64: Buffer.from(bytes).toString('base64'), mimeType };
};
const album = `false_${idOf(BEN)}_3EB0A1B000`;
const ad = { sourceUrl: 'https://fb.me/x', sourceId: '1', sourceType: 'ad', title: 'Cakes', ctwaClid: 'A' };
const referral = { url: 'https://fb.me/x', id: '1', type: 'ad', title: 'Cakes', clickId: 'A' };
const vcard = 'BEGIN:VCARD\nVERSION:3.0\nFN:Zoe\nTEL;waid=12025550199:+1\nEND:VCARD';
const unavailable = 'not_decrypted';

const KINDS: readonly Kind[] = [
  ['text', { body: 'hello' }, { type: 'text', body: 'hello' }],
  [
    'image',
    { body: 'look', media: { kind: 'image', ...fileOf('image') } },
    { type: 'image', body: 'look', hasMedia: true },
  ],
  ['video', { media: { kind: 'video', ...fileOf('video') } }, { type: 'video', hasMedia: true }],
  ['video note', { media: { kind: 'note', ...fileOf('video') } }, { type: 'video', note: true, hasMedia: true }],
  ['audio', { media: { kind: 'audio', ...fileOf('audio') } }, { type: 'audio', hasMedia: true }],
  ['voice note', { media: { kind: 'voice', ...fileOf('audio') } }, { type: 'audio', voice: true }],
  [
    'document',
    { media: { kind: 'document', filename: 'a.pdf', ...fileOf('document') } },
    { type: 'document', filename: 'a.pdf', body: '' },
  ],
  ['sticker', { media: { kind: 'sticker', ...fileOf('sticker') } }, { type: 'sticker', hasMedia: true }],
  [
    'location',
    { location: { latitude: 1, longitude: 2, name: 'Bar' } },
    { type: 'location', body: 'Bar', location: { latitude: 1, longitude: 2 } },
  ],
  [
    'contact',
    { contacts: [{ name: 'Zoe', vcard }] },
    { type: 'contact', body: vcard, contacts: [{ name: 'Zoe', numbers: ['+12025550199'] }] },
  ],
  [
    'poll',
    { poll: { question: 'When?', options: ['a', 'b'], multiple: true } },
    { type: 'poll', body: 'When?', poll: { options: ['a', 'b'], multiple: true } },
  ],
  [
    'results of a poll',
    { type: 'poll_result_snapshot', fields: { pollName: 'When?' } },
    { type: 'poll_result_snapshot', body: 'When?' },
  ],
  ['album', { type: 'album', id: '3EB0A1B000', fields: { expectedImageCount: 2 } }, 'none'],
  [
    'photo of an album',
    {
      media: { kind: 'image', ...fileOf('image') },
      viewMode: 'MEDIA_ALBUM',
      fields: { parentMsgKey: album, associationType: 'MEDIA_ALBUM' },
    },
    { type: 'image', albumId: album },
  ],
  [
    'the same photo in another quality',
    {
      media: { kind: 'image', ...fileOf('image') },
      viewMode: 'HIDDEN',
      fields: { parentMsgKey: album, associationType: 'HD_IMAGE_DUAL_UPLOAD' },
    },
    'none',
  ],
  ['text from an ad', { body: 'Hello', fields: { ctwaContext: ad } }, { type: 'text', body: 'Hello', referral }],
  ['ad without a text', { body: '', fields: { ctwaContext: ad } }, { type: 'text', body: '', referral }],
  [
    'image from an ad',
    { media: { kind: 'image', ...fileOf('image') }, fields: { ctwaContext: ad } },
    { type: 'image', referral },
  ],
  [
    'chosen button',
    { type: 'buttons_response', body: 'Yes', fields: { selectedButtonId: 'b1' } },
    { type: 'buttons_response', body: 'Yes', selected: { id: 'b1', text: 'Yes' } },
  ],
  [
    'chosen row',
    {
      type: 'list_response',
      body: 'Cake\nsweet',
      fields: { listResponse: { title: 'Cake', singleSelectReply: { selectedRowId: 'r1' } } },
    },
    { type: 'list_response', body: 'Cake\nsweet', selected: { id: 'r1', text: 'Cake' } },
  ],
  [
    'chosen button of a template',
    { type: 'template_button_reply', body: 'No', fields: { selectedId: 'b2' } },
    { type: 'template_button_reply', body: 'No', selected: { id: 'b2', text: 'No' } },
  ],
  [
    'chosen button of a flow',
    { type: 'interactive_response', body: 'Buy', fields: { interactivePayload: { paramsJson: '{"id":"q1"}' } } },
    { type: 'interactive_response', selected: { id: 'q1', text: 'Buy' } },
  ],
  [
    'template',
    { body: 'Your order', fields: { isFromTemplate: true, title: 'Hi', footer: 'Shop' } },
    { type: 'text', body: 'Hi\nYour order\nShop' },
  ],
  ['old template', { type: 'hsm', body: 'Your code' }, { type: 'hsm', body: 'Your code' }],
  [
    'list',
    { type: 'list', fields: { list: { title: 'Menu', description: 'Choose' }, footer: 'Bar' } },
    { type: 'list', body: 'Menu\nChoose\nBar' },
  ],
  [
    'interactive message',
    { type: 'interactive', fields: { interactiveHeader: { title: 'Hi' }, caption: 'Go' } },
    { type: 'interactive', body: 'Hi\nGo' },
  ],
  [
    'native flow',
    { type: 'native_flow', body: 'Pay', fields: { footer: 'Shop' } },
    { type: 'native_flow', body: 'Pay\nShop' },
  ],
  [
    'order',
    { type: 'order', fields: { orderTitle: 'Two cakes', message: 'please' } },
    { type: 'order', body: 'Two cakes\nplease' },
  ],
  [
    'product',
    { type: 'product', fields: { title: 'Cake', description: 'sweet' } },
    { type: 'product', body: 'Cake\nsweet' },
  ],
  ['payment', { type: 'payment', fields: { paymentNoteMsg: { body: 'thanks' } } }, { type: 'payment', body: 'thanks' }],
  [
    'invitation to a group',
    { type: 'groups_v4_invite', fields: { comment: 'Join', inviteGrpName: 'Trip' } },
    { type: 'groups_v4_invite', body: 'Join\nTrip' },
  ],
  [
    'event',
    { type: 'event_creation', fields: { eventName: 'Party', eventDescription: 'at 8' } },
    { type: 'event_creation', body: 'Party\nat 8' },
  ],
  [
    'assistant',
    { type: 'rich_response', fields: { richResponse: { fragments: [{ text: 'a' }] } } },
    { type: 'rich_response', body: 'a' },
  ],
  [
    'held back',
    { type: 'quarantined', fields: { quarantineExtractedText: 'spam?' } },
    { type: 'quarantined', body: 'spam?' },
  ],
  ['business message without a text', { type: 'hsm' }, { type: 'hsm', body: '', unavailable }],
  ['unknown type', { type: 'hologram' }, { type: 'unknown', body: '', unavailable }],
  ['unknown type with a text', { type: 'hologram', body: 'wave' }, { type: 'unknown', body: 'wave' }],
  [
    'only for phones',
    { type: 'unknown', fields: { subtype: 'phone_only_feature' } },
    { type: 'unknown', body: '', unavailable },
  ],
  ['too large', { type: 'oversized' }, { type: 'unknown', body: '', unavailable }],
  [
    'view once',
    { media: { kind: 'image', ...fileOf('image') }, undecrypted: { subtype: 'view_once_unavailable_fanout' } },
    { type: 'unknown', body: '', unavailable: 'view_once' },
  ],
  [
    'view once without its file',
    { type: 'image', fields: { isViewOnce: true } },
    { type: 'image', viewOnce: true, unavailable: 'view_once' },
  ],
  ['of a hosted business', { undecrypted: { subtype: 'hosted_unavailable_fanout' } }, { type: 'unknown', unavailable }],
  ['of a bot', { undecrypted: { subtype: 'bot_unavailable_fanout' } }, { type: 'unknown', unavailable }],
  ...['comment', 'event_response', 'group-history', 'keep_in_chat', 'message_history_notice', 'pinned_message'].map(
    silent,
  ),
  ...['poll_update', 'protocol', 'reaction_enc', 'request_phone_number', 'status_notification'].map(silent),
  ['payment notice', { type: 'unknown', fields: { subtype: 'payment_action_request_declined' } }, 'none'],
];

function silent(type: string): Kind {
  return [type, { type }, 'none'];
}

const stack = sharedStack();
let events: EventLog;
beforeAll(async () => {
  await stack.link('main', ADA);
  events = await stack.listen('main', ['message', 'message_sent']);
});

/** What an event must have, of which the table names only what is special. */
const whole = (event: Partial<Message>) => ({
  from: idOf(BEN),
  senderName: 'Ben Okafor',
  body: expect.any(String),
  ...event,
});
const FLAGS: readonly (keyof Message)[] = [
  'voice',
  'note',
  'gif',
  'viewOnce',
  'unavailable',
  'albumId',
  'referral',
  'selected',
  'contacts',
  'poll',
];

it('each kind of message is one event with its content, or none', async () => {
  const ids = new Map<string, string>();
  for (const [name, sent] of KINDS) ids.set((await stack.phones.send(BEN, { ...sent, to: ADA })).id, name);
  await stack.phones.send(BEN, { to: ADA, body: 'the last one' });
  await events.until('message', ({ body }) => body === 'the last one');
  await stack.settled();
  const told = events.all('message').slice(0, -1);
  expect(told.map(({ id }) => ids.get(stanzaOf(id)))).toEqual(
    KINDS.flatMap(([name, , event]) => (event === 'none' ? [] : [name])),
  );
  for (const [name, , event] of KINDS) {
    const message = told.find(({ id }) => ids.get(stanzaOf(id)) === name);
    if (event === 'none' || !message) continue;
    expect(message, name).toMatchObject(whole(event));
    expect(
      FLAGS.filter((flag) => flag in message),
      name,
    ).toEqual(FLAGS.filter((flag) => flag in event));
    expect(MESSAGE_TYPES, name).toContain(message.type);
    // An answer and a list have the same.
    expect(await stack.client.getMessage({ id: 'main', messageId: message.id }), name).toEqual(message);
  }
  const { messages } = await stack.client.listMessages({ id: 'main', chatId: BEN, limit: 200 });
  expect(messages.filter(({ body }) => body !== 'the last one')).toEqual(told);
  const [chat] = await stack.client.listChats({ id: 'main' });
  expect(chat?.lastMessage).toMatchObject({ body: 'the last one' });
});

it('the frame of an album is not the last message of its chat, and no sent message', async () => {
  await stack.phones.send(ADA, { to: BEN, body: 'see my album' });
  await stack.phones.send(ADA, { to: BEN, type: 'album' });
  await stack.phones.send(BEN, { to: ADA, type: 'album' });
  await events.until('message_sent', ({ body }) => body === 'see my album');
  await stack.settled();
  expect(events.all('message_sent').map(({ body }) => body)).toEqual(['see my album']);
  const chats = await stack.client.listChats({ id: 'main' });
  expect(chats.find(({ id }) => id === idOf(BEN))?.lastMessage).toMatchObject({ body: 'see my album', fromMe: true });
});
