import { beforeEach, describe, expect, it } from 'vitest';
import { stubPage } from '../../testing/page-registry.ts';
import type { PageMessage } from '../models.ts';
import { isDeliverable } from './message-types.ts';
import { findMessage, isPost, keysOf, messageModel } from './messages.ts';

const id = (text: string) => ({ toString: () => text });
const message = (values: object, remote = '1@g.us') =>
  ({ id: { ...id('M'), fromMe: false, remote: id(remote) }, type: 'image', ...values }) as PageMessage;

beforeEach(() => void stubPage());

it('hidden messages are not delivered: another quality of a photo, and scheduled messages', () => {
  const isDelivered = (viewMode?: string) => isDeliverable(message({ viewMode }));
  expect([undefined, 'VISIBLE', 'MEDIA_ALBUM'].map(isDelivered)).toEqual([true, true, true]);
  expect(['HIDDEN', 'SCHEDULED_MESSAGE'].map(isDelivered)).toEqual([false, false]);
});

it('a status posted to a group is a status, not a message of its chat', () => {
  const isStatus = (one: PageMessage) => [isPost(one), messageModel(one).isStatus];
  expect(isStatus(message({ isGroupStatus: true }))).toEqual([true, true]);
  expect(isStatus(message({}, 'status@broadcast'))).toEqual([true, true]);
  expect(isStatus(message({}))).toEqual([false, false]);
});

describe('the id of a message, whose key the software of its sender has chosen', () => {
  /** The keys that the page is asked for the other key of, and the ids that its database is asked for. */
  function page({ loaded = '', stored = async (): Promise<unknown> => undefined } = {}) {
    const keys: string[][] = [];
    const asked: string[] = [];
    const getAlternateMsgKey = ({ fromMe, remote, id: key, participant }: Record<string, unknown>) => {
      keys.push([fromMe, remote, key, participant].map(String));
      return id(`false_11@lid_${key}`);
    };
    const Msg = {
      get: (one: string) => (one === loaded ? message({}) : undefined),
      getMessagesById: async ([one = '']: string[]) => {
        asked.push(one);
        return stored();
      },
    };
    const modules = { WAWebLidMigrationUtils: { getAlternateMsgKey }, WAWebCollections: { Msg } };
    stubPage(modules, { me: '9@c.us' });
    return { keys, asked };
  }

  it.each([
    ['false_1@c.us_3EB0', ['false', '1@c.us', '3EB0', 'undefined']],
    ['false_1@c.us_ORDER_17==', ['false', '1@c.us', 'ORDER_17==', 'undefined']],
    ['false_1@lid__a_', ['false', '1@lid', '_a_', 'undefined']],
    ['false_1@c.us_a_b@c', ['false', '1@c.us', 'a_b@c', 'undefined']],
    ['false_1@c.us_x_out', ['false', '1@c.us', 'x_out', 'undefined']],
    ['true_9@c.us_x_y_out', ['true', '9@c.us', 'x_y', 'undefined']], // A note to oneself.
    ['false_1@g.us_G_1_2@lid', ['false', '1@g.us', 'G_1', '2@lid']],
    ['false_1@g.us_x@y_z_2@c.us', ['false', '1@g.us', 'x@y_z', '2@c.us']],
    ['false_status@broadcast_a_b_2@c.us', ['false', 'status@broadcast', 'a_b', '2@c.us']],
    ['true_1@g.us_3EB0', ['true', '1@g.us', '3EB0', 'undefined']],
  ])('%s has the parts %j', async (text, parts) => {
    const { keys, asked } = page();
    expect(await findMessage(text)).toBeUndefined();
    expect(keys).toEqual([parts]);
    expect(asked).toEqual([text, `false_11@lid_${parts[2]}`]);
  });

  it('is compared as a whole with those that the page has in memory, under either key', async () => {
    page({ loaded: 'false_1@c.us_ORDER_17==' });
    expect(await findMessage('false_1@c.us_ORDER_17==')).toBeDefined();
    page({ loaded: 'false_11@lid_ORDER_17==' });
    expect(await findMessage('false_1@c.us_ORDER_17==')).toBeDefined();
    expect(keysOf(message({}))).toHaveLength(2);
  });

  it('is unknown if the page cannot read it from its database; any other failure of that is reported', async () => {
    page({ stored: () => Promise.reject(new Error('wid error: invalid wid')) });
    expect(await findMessage('false_1@c.us_ORDER_17==')).toBeUndefined();
    for (const text of ['false_1@c.us_3EB0', 'false_1@g.us_3EB0_2@lid'])
      await expect(findMessage(text)).rejects.toThrow('invalid wid');
  });
});
