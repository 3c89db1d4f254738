import { sendText } from '@chat-web/host';
import { ADA, BEN, CARLA, DEV, downloadedBytes, EDITH, eventually, FARID, idOf, NOBODY } from '@chat-web/testing';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const STRANGER = '12025550177';

describe('people and chats', () => {
  const stack = sharedStack();
  beforeAll(async () => {
    const { phones } = stack;
    await phones.addAccount({ number: STRANGER, name: 'A Stranger' });
    await phones.profile(CARLA, { business: true });
    await phones.contacts(ADA, { block: [DEV], save: [{ number: BEN, name: 'Benny' }] });
    await phones.createGroup(BEN, { subject: 'A group', participants: [ADA] });
    await stack.link('main', ADA);
  });

  it('contacts are only people, each once, without the account itself', async () => {
    const contacts = await stack.client.listContacts({ id: 'main' });
    const ids = contacts.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^\d+@c\.us$/);
    expect(ids).not.toContain(idOf(ADA));
    expect(ids).toEqual(expect.arrayContaining([BEN, CARLA, DEV, EDITH].map(idOf)));
    const of = (number: string) => contacts.find((contact) => contact.number === number);
    expect(of(BEN)).toEqual({
      id: idOf(BEN),
      lid: expect.stringMatching(/^\d+@lid$/),
      name: 'Benny',
      pushname: 'Ben Okafor',
      number: BEN,
      isMyContact: true,
      isWAContact: true,
      isBusiness: false,
      isBlocked: false,
    });
    expect(of(CARLA)).toMatchObject({ isBusiness: true, number: CARLA });
    expect(of(DEV)).toMatchObject({ isBlocked: true });
  });

  it('one contact is found by any form of its number, and a stranger is not', async () => {
    for (const contactId of [idOf(BEN), BEN, `+${BEN}`]) {
      expect(await stack.client.getContact({ id: 'main', contactId })).toMatchObject({ id: idOf(BEN), name: 'Benny' });
    }
    expect(await stack.client.getContact({ id: 'main', contactId: CARLA })).toMatchObject({ id: idOf(CARLA) });
    for (const contactId of [STRANGER, NOBODY]) {
      await expect(stack.client.getContact({ id: 'main', contactId })).rejects.toMatchObject({
        code: 'contact_not_found',
      });
    }
  });

  it('the number check queries the network, accepts every form of a number, and opens no chat', async () => {
    for (const number of [STRANGER, `+${STRANGER}`, idOf(STRANGER)]) {
      expect(await stack.client.numberExists({ id: 'main', number })).toEqual({
        number: STRANGER,
        exists: true,
        id: idOf(STRANGER),
      });
    }
    expect(await stack.client.numberExists({ id: 'main', number: NOBODY })).toEqual({ number: NOBODY, exists: false });
    const chats = (await stack.client.listChats({ id: 'main' })).map(({ id }) => id);
    expect(chats).not.toContain(idOf(STRANGER));
  });

  it('a picture is JPEG bytes, or nothing for an unknown number, and opens no chat', async () => {
    await stack.phones.profile(FARID, { picture: 'present' });
    const shown = await stack.client.getPicture({ id: 'main', contactId: FARID });
    expect(shown?.mimeType).toBe('image/jpeg');
    const bytes = await downloadedBytes(shown);
    expect([...bytes.slice(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
    expect(bytes.length).toBe(shown?.size);
    expect(await stack.client.getPicture({ id: 'main', contactId: NOBODY })).toBeNull();
    const chats = (await stack.client.listChats({ id: 'main' })).map(({ id }) => id);
    expect(chats).not.toContain(idOf(FARID));
  });

  it('chats are listed with their last message and unread count, newest first', async () => {
    await sendText(stack.client, { id: 'main', type: 'text', to: CARLA, body: 'to Carla' });
    await stack.phones.send(BEN, { to: ADA, body: 'first' });
    await stack.phones.send(BEN, { to: ADA, body: 'second' });
    await eventually(async () => {
      const chats = await stack.client.listChats({ id: 'main' });
      const ben = chats.find(({ id }) => id === idOf(BEN));
      expect(ben).toMatchObject({ name: 'Benny', unreadCount: 2 });
      expect(ben?.lastMessage).toEqual({ body: 'second', timestamp: expect.any(Number), fromMe: false });
      const carla = chats.find(({ id }) => id === idOf(CARLA));
      expect(carla?.lastMessage).toMatchObject({ body: 'to Carla', fromMe: true });
      const times = chats.flatMap(({ lastMessage }) => lastMessage?.timestamp ?? []);
      expect(times).toEqual([...times].sort((a, b) => b - a));
    });
  });
});
