import { ADA, BEN, CARLA, eventually, NOBODY } from '@chat-web/testing';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const labels = [
  { id: '1', name: 'New customer', colorIndex: 0 },
  { id: '2', name: 'Paid', colorIndex: 4 },
  { id: '3', name: 'Shipped', colorIndex: 7 },
];
const [first, second, third] = labels;

describe('labels', () => {
  const stack = sharedStack();
  beforeAll(async () => {
    const { phones } = stack;
    await phones.profile(ADA, { business: true });
    await phones.setLabels(ADA, labels);
    for (const number of [BEN, CARLA]) await phones.send(number, { to: ADA, body: 'hello' });
    await stack.link('main', ADA);
    await stack.link('personal', BEN);
    await eventually(() => stack.client.getChat({ id: 'personal', chatId: ADA }));
  });

  const of = (chatId: string) => ({ id: 'main', chatId });
  const onPhone = async (number: string) =>
    (await stack.phones.chats(ADA)).find(({ id }) => id === `${number}@c.us`)?.labels;

  it('of a business account are listed', async () => {
    const { client, phones } = stack;
    expect(await client.listLabels({ id: 'main' })).toEqual(labels);
    await phones.setLabels(ADA, [...labels, { id: '4', name: 'Late', colorIndex: 2 }]);
    await eventually(async () => expect(await client.listLabels({ id: 'main' })).toHaveLength(4));
    await phones.setLabels(ADA, labels);
    await eventually(async () => expect(await client.listLabels({ id: 'main' })).toHaveLength(3));
  });

  it.each([BEN, CARLA])('of a chat are those that were set last, on the phone too: %s', async (number) => {
    const { client } = stack;
    expect(await client.listChatLabels(of(number))).toEqual([]);
    expect(await client.setChatLabels({ ...of(number), labelIds: ['2', '1', '2'] })).toEqual([first, second]);
    await eventually(async () => expect(await onPhone(number)).toEqual(['New customer', 'Paid']));
    for (const _ of ['once', 'twice'])
      expect(await client.setChatLabels({ ...of(number), labelIds: ['2', '3'] })).toEqual([second, third]);
    await eventually(async () => expect(await onPhone(number)).toEqual(['Paid', 'Shipped']));
    expect(await client.listChatLabels(of(number))).toEqual([second, third]);
    expect(await client.setChatLabels({ ...of(number), labelIds: [] })).toEqual([]);
    await eventually(async () => expect(await onPhone(number)).toEqual([]));
  });

  it('survive a restart', async () => {
    const { client } = stack;
    await client.setChatLabels({ ...of(CARLA), labelIds: ['3'] });
    await eventually(async () => expect(await onPhone(CARLA)).toEqual(['Shipped']));
    await client.restartSession({ id: 'main' });
    await stack.untilStatus('main', 'ready');
    expect(await client.listChatLabels(of(CARLA))).toEqual([third]);
  });

  it('that do not exist are 400, and none is changed', async () => {
    const { client } = stack;
    await client.setChatLabels({ ...of(BEN), labelIds: ['1'] });
    for (const labelIds of [['1', '9'], ['constructor'], ['__proto__'], ['not an id']]) {
      const refused = client.setChatLabels({ ...of(BEN), labelIds });
      await expect(refused).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('labelIds'),
        issues: [{ path: expect.stringMatching(/^labelIds/), message: expect.any(String) }],
      });
    }
    expect(await client.listChatLabels(of(BEN))).toEqual([first]);
  });

  it('of a chat that is unknown are 404', async () => {
    const { client } = stack;
    const refused = { code: 'chat_not_found' };
    await expect(client.listChatLabels(of(NOBODY))).rejects.toMatchObject(refused);
    await expect(client.setChatLabels({ ...of(NOBODY), labelIds: [] })).rejects.toMatchObject(refused);
  });

  it('are not for other accounts: 403', async () => {
    const { client } = stack;
    const refused = { code: 'not_permitted' };
    const chat = { id: 'personal', chatId: ADA };
    await expect(client.listLabels({ id: 'personal' })).rejects.toMatchObject(refused);
    await expect(client.listChatLabels(chat)).rejects.toMatchObject(refused);
    await expect(client.setChatLabels({ ...chat, labelIds: [] })).rejects.toMatchObject(refused);
  });
});
