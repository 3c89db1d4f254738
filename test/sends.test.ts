import type { InputOf, Message } from '@chat-web/protocol';
import { ADA, BEN, CARLA, eventually, media } from '@chat-web/testing';
import { type EventLog, stanzaOf } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const unknown = `true_${BEN}@c.us_3EB0000000000000`;

const stack = sharedStack();
let events: EventLog;
let group: string;
beforeAll(async () => {
  await stack.link('main', ADA);
  events = await stack.listen('main');
  group = await stack.client.createGroup({ id: 'main', subject: 'Trip', participants: [BEN, CARLA] });
});

type Input = InputOf<'sendMessage'>;
const send = async (message: object, idempotencyKey?: string) => {
  const input = { id: 'main', to: BEN, ...message } as unknown as Input;
  return (await stack.client.sendMessage(input, { idempotencyKey })) as Message;
};
const onPhone = (id: string) => stack.onPhone(BEN, id);
const issuesOf = (message: object) =>
  send(message).then(
    () => [],
    (error: { code: string; issues?: readonly { path: string }[] }) =>
      error.code === 'invalid_request' ? error.issues?.map(({ path }) => path) : [error.code],
  );

const place = { type: 'location', latitude: 52.5163, longitude: 13.3777, name: 'Gate', address: 'Pariser Platz' };
const carla = { name: 'Carla; Mendes', number: `+${CARLA}`, organization: 'Mendes, Inc.' };
const poll = { type: 'poll', question: 'When?', options: ['Friday', ' Saturday '] };

describe.each([
  ['a place', place],
  ['a contact card', { type: 'contact', contacts: [carla] }],
  ['a poll', poll],
])('%s', (_, message) => {
  it('is sent once under a key, and as a reply', async () => {
    const { id: quotedMessageId } = await send({ type: 'text', body: 'to be answered' });
    const key = `key-${message.type}`;
    const sent = await send({ ...message, quotedMessageId }, key);
    expect(await send({ ...message, quotedMessageId }, key)).toEqual(sent);
    expect(sent).toMatchObject({
      type: message.type,
      to: `${BEN}@c.us`,
      fromMe: true,
      quotedMessageId,
      hasMedia: false,
    });
    expect(sent.ack).toBeGreaterThanOrEqual(1);
    expect(await onPhone(sent.id)).toMatchObject({ type: message.type, quotedMessageId: stanzaOf(quotedMessageId) });
    const shown = (await stack.phones.messages(BEN)).filter(({ id }) => id === stanzaOf(sent.id));
    expect(shown).toHaveLength(1);
  });

  it('is sent to groups, and not to the status feed', async () => {
    const { id } = await send({ ...message, to: group });
    expect(await stack.onPhone(CARLA, id)).toMatchObject({ type: message.type, chat: group });
    expect(await issuesOf({ ...message, to: 'status@broadcast' })).toEqual(['to']);
  });

  it('is refused where the recipient, the group or the quoted message is unknown, and by the network', async () => {
    const refused = async (more: object) => expect(send({ ...message, ...more })).rejects;
    await (await refused({ to: '12025550999' })).toMatchObject({ code: 'recipient_not_found' });
    await (await refused({ to: '120363999999999999@g.us' })).toMatchObject({ code: 'chat_not_found' });
    await (await refused({ quotedMessageId: unknown })).toMatchObject({ code: 'message_not_found' });
    await stack.phones.refuse(ADA, { kind: 'nack', code: 463 });
    await (await refused({})).toMatchObject({ code: 'rate_limited' });
    await stack.phones.refuse(ADA, { kind: 'none' });
  });
});

describe('a place', () => {
  it('has its angles, its name and its address on the phone', async () => {
    const { id, body, location } = await send(place);
    expect({ body, location }).toEqual({
      body: 'Gate\nPariser Platz',
      location: { latitude: 52.5163, longitude: 13.3777 },
    });
    const { type, latitude, longitude, name, address } = place;
    expect(await onPhone(id)).toMatchObject({ type, body: '', location: { latitude, longitude, name, address } });
    const bare = await send({ type, latitude: -90, longitude: 0 });
    expect(bare).toMatchObject({ body: '', location: { latitude: -90, longitude: 0 } });
    expect(await onPhone(bare.id)).toMatchObject({ location: { latitude: -90, longitude: 0 } });
    const nameless = await send({ type, latitude, longitude, address });
    expect((await onPhone(nameless.id)).location).toEqual({ latitude, longitude, address });
  });

  it('arrives with its name and address, not with its map', async () => {
    const { type: _, ...location } = place;
    const { id } = await stack.phones.send(BEN, { to: ADA, location });
    const { id: whole, body, location: received } = await events.until('message', (one) => stanzaOf(one.id) === id);
    expect({ body, received }).toEqual({
      body: 'Gate\nPariser Platz',
      received: { latitude: 52.5163, longitude: 13.3777 },
    });
    const chats = await stack.client.listChats({ id: 'main' });
    expect(chats.find(({ lastMessage }) => lastMessage?.body === body)).toBeDefined();
    expect(whole).toMatch(/^false_/);
  });

  it('must have a valid latitude and longitude, and its name on one line', async () => {
    expect(await issuesOf({ ...place, latitude: 90.1 })).toEqual(['latitude']);
    expect(await issuesOf({ ...place, longitude: '13' })).toEqual(['longitude']);
    expect(await issuesOf({ ...place, name: 'Gate\nnext line' })).toEqual(['name']);
    expect(await issuesOf({ ...place, address: ' ' })).toEqual(['address']);
  });
});

describe('contact cards', () => {
  const cardOf = (text = '') => text.split('\n');

  it('have name, number and organization on the phone, and nothing injected between them', async () => {
    const { id, body } = await send({ type: 'contact', contacts: [carla] });
    const { contacts: [card] = [] } = await onPhone(id);
    expect(card?.name).toBe('Carla; Mendes');
    expect(cardOf(card?.vcard)).toEqual([
      'BEGIN:VCARD',
      'VERSION:3.0',
      'N:;Carla\\; Mendes;;;',
      'FN:Carla\\; Mendes',
      'ORG:Mendes\\, Inc.',
      `TEL;type=CELL;waid=${CARLA}:+${CARLA}`,
      'END:VCARD',
    ]);
    expect(body).toBe(card?.vcard);
  });

  it('of several people are sent in one message, in order', async () => {
    const { id, type, body } = await send({ type: 'contact', contacts: [carla, { name: 'Ben', number: BEN }] });
    const shown = await onPhone(id);
    expect(shown).toMatchObject({ type: 'contacts', contacts: [{ name: 'Carla; Mendes' }, { name: 'Ben' }] });
    expect({ type, body }).toEqual({ type: 'contact', body: shown.contacts?.map(({ vcard }) => vcard).join('\n') });
  });

  it('of a person by hidden id have the number, or are refused', async () => {
    const { lid } = await stack.phones.account(CARLA);
    const { id } = await send({ type: 'contact', contacts: [{ name: 'Carla', number: lid }] });
    const { contacts: [card] = [] } = await onPhone(id);
    expect(cardOf(card?.vcard)).toContain(`TEL;type=CELL;waid=${CARLA}:+${CARLA}`);
    const unknown = [carla, { name: 'Nobody', number: '999999@lid' }];
    expect(await issuesOf({ type: 'contact', contacts: unknown })).toEqual(['contacts.1.number']);
  });

  it('arrive with the text of the card', async () => {
    const vcard = 'BEGIN:VCARD\nVERSION:3.0\nFN:Dan\nEND:VCARD';
    for (const contacts of [
      [{ name: 'Dan', vcard }],
      [
        { name: 'Dan', vcard },
        { name: 'Dan', vcard },
      ],
    ]) {
      const { id } = await stack.phones.send(BEN, { to: ADA, contacts });
      const received = await events.until('message', (one) => stanzaOf(one.id) === id);
      expect(received).toMatchObject({ type: 'contact', hasMedia: false, body: contacts.map(() => vcard).join('\n') });
    }
  });

  it('are 1 to 20, each of a person with a number', async () => {
    const contacts = Array.from({ length: 21 }, () => carla);
    expect(await issuesOf({ type: 'contact', contacts })).toEqual(['contacts']);
    expect(await issuesOf({ type: 'contact', contacts: [] })).toEqual(['contacts']);
    const spoiled = [
      { ...carla, name: 'Carla\nTEL:+1' },
      { ...carla, number: 'none' },
      { ...carla, organization: '' },
    ];
    const paths = ['contacts.0.name', 'contacts.1.number', 'contacts.2.organization'];
    expect(await issuesOf({ type: 'contact', contacts: spoiled })).toEqual(paths);
  });
});

describe('a poll', () => {
  it('has its question on the phone, and how many answers may be chosen', async () => {
    const one = await send(poll);
    expect(one).toMatchObject({ body: 'When?', poll: { options: ['Friday', 'Saturday'], multiple: false } });
    const options = ['Friday', 'Saturday'];
    expect((await onPhone(one.id)).poll).toEqual({ question: 'When?', options, multiple: false });
    const many = await send({ ...poll, multiple: true });
    expect(many.poll).toEqual({ options, multiple: true });
    expect((await onPhone(many.id)).poll).toEqual({ question: 'When?', options, multiple: true });
  });

  it('arrives with its question and its options', async () => {
    const { id } = await stack.phones.send(BEN, {
      to: ADA,
      poll: { question: 'Who?', options: ['A', 'B'], multiple: true },
    });
    const received = await events.until('message', (message) => stanzaOf(message.id) === id);
    expect(received).toMatchObject({ type: 'poll', body: 'Who?', poll: { options: ['A', 'B'], multiple: true } });
  });

  it('has 2 to 12 options that differ', async () => {
    const options = (...list: string[]) => issuesOf({ ...poll, options: list });
    expect(await options('one')).toEqual(['options']);
    expect(await options(...Array.from({ length: 13 }, (_, n) => `${n}`))).toEqual(['options']);
    expect(await options('same', ' same')).toEqual(['options']);
    expect(await options('one', ' ')).toEqual(['options.1']);
    expect(await issuesOf({ ...poll, question: '' })).toEqual(['question']);
    expect(await issuesOf({ ...poll, multiple: 'yes' })).toEqual(['multiple']);
  });
});

const image = { type: 'image', base64: Buffer.from(media[0].bytes).toString('base64') };

it.each([{ type: 'text', body: 'for all' }, image, place, poll, { type: 'contact', contacts: [carla] }])(
  'a message of type $type has a secret, which replies need in the announcement group of a community',
  async (message) => expect(await onPhone((await send(message)).id)).toMatchObject({ hasSecret: true }),
);

describe('a reply', () => {
  const received = (id: string) => events.until('message', (one) => stanzaOf(one.id) === id);

  it.each([{ type: 'text', body: 'an answer' }, image])(
    'of type $type links to the quoted message on both sides',
    async (answer) => {
      for (const to of [ADA, group]) {
        const asked = await stack.phones.send(BEN, { to, body: 'a question' });
        const { id: quotedMessageId } = await received(asked.id);
        const sent = await send({ ...answer, to: to === ADA ? BEN : to, quotedMessageId });
        expect(sent.quotedMessageId).toBe(quotedMessageId);
        expect(await onPhone(sent.id)).toMatchObject({ quotedMessageId: asked.id });
        expect(await stack.onPhone(ADA, sent.id)).toMatchObject({ quotedMessageId: asked.id });
      }
    },
  );

  it('to a person about a message in a group links into the group', async () => {
    const asked = await stack.phones.send(BEN, { to: group, body: 'who comes?' });
    const { id: quotedMessageId } = await received(asked.id);
    const sent = await send({ type: 'text', body: 'between us', quotedMessageId });
    expect(sent.quotedMessageId).toBe(quotedMessageId);
    expect(await onPhone(sent.id)).toMatchObject({ quotedMessageId: asked.id });
    const answered = await stack.phones.send(BEN, { to: ADA, body: 'me too', quotedMessageId: asked.id });
    expect(await received(answered.id)).toMatchObject({ quotedMessageId });
  });
});

it('a reply to a message that the page cannot read yet is 403', async () => {
  const { id } = await stack.phones.send(BEN, { to: ADA, body: 'later', decryptLateMs: 3_600_000 });
  const reply = { type: 'text', body: 'to what?', quotedMessageId: `false_${BEN}@c.us_${id}` };
  // Until the page has the message, it is not found.
  await eventually(async () => expect(await issuesOf(reply)).toEqual(['not_permitted']));
});

it('an operation is 501 and listed as degraded where the page lacks its modules', async () => {
  await stack.phones.configure({ missingModules: ['WAWebE2EProtoUtils'] });
  await stack.client.restartSession({ id: 'main' });
  await stack.untilStatus('main', 'ready');
  await expect(send(place)).rejects.toMatchObject({ code: 'page_unsupported' });
  await send(poll);
  await eventually(async () => {
    const { degraded = [] } = await stack.client.getSessionStatus({ id: 'main' });
    expect(degraded.map(({ capability }) => capability)).toContain('sendMessage.location');
  });
});
