import { describe, expect, it, vi } from 'vitest';
import { stubPage } from '../testing/page-registry.ts';
import { addParticipants, createGroup, leaveGroup, removeParticipants } from './groups.ts';
import { Refusal } from './refusal.ts';

const id = (text: string) => ({ toString: () => text });
const [BEN, CARLA, DORA] = ['1@c.us', '2@c.us', '3@c.us'];

const digits = (one: string) => one.replace(/\D/g, '');

/** A network that finds people by their numbers, except those whose ids are `unknown`. */
function usync(ids: Record<string, readonly string[] | 'unknown'>) {
  class USyncUser {
    number = '';
    withPhone(number: string): this {
      this.number = number;
      return this;
    }
  }
  class USyncQuery {
    readonly #users: USyncUser[] = [];
    withContactProtocol = () => this;
    withLidProtocol = () => this;
    withUser(user: USyncUser): this {
      this.#users.push(user);
      return this;
    }
    execute = async () => ({
      list: this.#users.flatMap(({ number }) => {
        const [, found] = Object.entries(ids).find(([person]) => digits(person) === digits(number)) ?? [];
        const contact = { type: found ? 'in' : 'out', content: number };
        return found === 'unknown' ? [] : { contact, id: found?.[0] };
      }),
    });
  }
  return { WAWebUsync: { USyncQuery }, WAWebUsyncUser: { USyncUser } };
}

/** A page that knows people by these ids, and a group with these members, whose admin is Dora, with hidden ids. */
function page(
  ids: Record<string, readonly string[] | 'unknown'>,
  job: (...args: object[]) => unknown,
  more: object = {},
  members: readonly object[] = [],
) {
  const done: unknown[] = [];
  const run = async (
    options: { title?: string; ephemeralDuration?: number },
    people: readonly { phoneNumber: object; lid?: object }[],
  ) => {
    if (options.title) done.push(`timer ${options.ephemeralDuration}`);
    done.push(people.map(({ phoneNumber, lid }) => [phoneNumber, lid].map((one) => one && String(one))));
    return job();
  };
  const participants = {
    get: (one: string) => (one === '33@lid' ? {} : undefined),
    getModelsArray: () => members,
  };
  const group = { id: id('9@g.us'), groupMetadata: { participants, isLidAddressingMode: true } };
  const modules = {
    WAWebCollections: { Chat: { get: () => group }, Contact: { get: () => ({ disappearingModeDuration: 86_400 }) } },
    WAWebGroupModifyParticipantsJob: { addGroupParticipants: run },
    WAWebGroupCreateJob: { createGroup: run },
    WAWebFindChatAction: { findOrCreateLatestChat: async (one: object) => done.push(`open ${one}`) },
    ...usync(ids),
    ...more,
  };
  const people = Object.entries(ids).flatMap(([number, known]) =>
    typeof known === 'object' && known[1] ? [{ number, lid: known[1] }] : [],
  );
  stubPage(modules, { people, me: DORA });
  return done;
}

describe('people added to a group', () => {
  const add = async (people: readonly string[]) => (await addParticipants('9@g.us', [...people], 20, 0)).codes;
  const known = { [BEN]: [BEN, '11@lid'], [CARLA]: [CARLA, '22@lid'], [DORA]: [DORA, '33@lid'] };

  it('are added in one request, by hidden id if the group uses hidden ids', async () => {
    const participants = [
      { userWid: id('22@lid'), code: '403' },
      { userWid: id('11@lid'), code: '200' },
    ];
    const done = page({ ...known, '4@c.us': 'unknown' }, () => ({ participants }));
    expect(await add([BEN, DORA, CARLA, '4@c.us', '5@c.us', BEN])).toEqual([200, 409, 403, 503, 404, 200]);
    expect(done).toEqual([
      [
        [BEN, '11@lid'],
        [CARLA, '22@lid'],
      ],
    ]);
  });

  it('are added by hidden id, also in a group that uses numbers and if the number is unknown', async () => {
    const participants = ['11@lid', CARLA, '44@lid'].map((one) => ({ userWid: id(one), code: '200' }));
    const done = page(known, () => ({ participants }));
    expect(await add(['11@lid', '22@lid', '33@lid', '44@lid'])).toEqual([200, 200, 409, 200]);
    const group = {
      id: id('9@g.us'),
      groupMetadata: { participants: { get: () => undefined, getModelsArray: () => [] } },
    };
    const Chat = { get: () => group };
    const byNumber = page(known, () => ({ participants }), { WAWebCollections: { Chat } });
    expect(await add(['11@lid', '22@lid', '44@lid'])).toEqual([200, 200, 200]);
    expect([...done, ...byNumber]).toEqual([
      [
        [BEN, '11@lid'],
        [CARLA, '22@lid'],
        [undefined, '44@lid'],
      ],
      [
        [BEN, undefined],
        [CARLA, undefined],
        [undefined, '44@lid'],
      ],
    ]);
  });

  it('are not reported as added if invited to the network, or missing in the answer', async () => {
    page(known, () => ({ participants: [], invitedOutContacts: [{ phoneNumberWid: id(BEN), code: '200' }] }));
    expect(await add([BEN, CARLA])).toEqual([404, 504]);
  });

  it('may have been added if there is no answer in time, but not after a refusal', async () => {
    page(known, () => new Promise(() => {}));
    expect(await add([BEN, DORA])).toEqual([504, 409]);
    page(known, () => Promise.reject(new Refusal('rate_limited', 'later')));
    await expect(add([BEN, DORA])).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('are not queried if all are known', async () => {
    const done = page(known, () => undefined);
    expect(await add([DORA])).toEqual([409]);
    expect(done).toEqual([]);
  });
});

describe('removed members', () => {
  /** Removes people from a group with these members. Returns the outcome, and the ids of each request. */
  const remove = (members: readonly object[], people: readonly string[]) => {
    const asked: string[][] = [];
    const removeGroupParticipants = async (_: object, ids: readonly object[]) => {
      asked.push(ids.map(String));
      return { participants: [{ userWid: ids[0], code: '406' }] };
    };
    page({}, () => undefined, { WAWebGroupModifyParticipantsJob: { removeGroupParticipants } }, members);
    const codes = removeParticipants('9@g.us', [...people], 0);
    return { codes, asked };
  };
  const members = (isAdmin: boolean) => [{ id: id(BEN) }, { id: id(CARLA) }, { id: id(DORA), isAdmin }];

  it('are removed in one request, except the account itself; those missing in the answer may have been', async () => {
    const { codes, asked } = remove(members(true), [BEN, DORA, CARLA]);
    expect([await codes, asked]).toEqual([[406, 405, 504], [[BEN, CARLA]]]);
  });

  it.each([
    ['the account is no admin', members(false), 'not_permitted'],
    ['the members are unknown', [], 'rate_limited'],
  ])('are not removed if %s', async (_, own, outcome) => {
    const { codes, asked } = remove(own, [BEN]);
    await expect(codes).rejects.toMatchObject({ code: outcome });
    expect(asked).toEqual([]);
  });
});

it.each([
  [async () => true, undefined],
  [async () => false, 'chat_not_found'],
  [() => Promise.reject(new Error('failed to merge chat table')), 'outcome_unknown'],
])('leaving a group: %s: %s', async (sendExitGroup, code) => {
  page({}, () => undefined, { WAWebExitGroupAction: { sendExitGroup } });
  const leaving = leaveGroup('9@g.us', 0);
  if (code === undefined) await leaving;
  else await expect(leaving).rejects.toMatchObject({ code });
});

describe('a new group', () => {
  const added = (participants: readonly object[]) => () => ({ wid: id('8@g.us'), participants });
  const known = { [BEN]: [BEN, '11@lid'], [CARLA]: [CARLA, '22@lid'] };
  const ben = { wid: id('11@lid'), error: null };
  const carla = { wid: id('22@lid'), error: 403, invite_code: 'A1b2' };

  it('includes registered people, and those missing in the answer; its timer is that of the account', async () => {
    const done = page({ [BEN]: [BEN, '11@lid'], [CARLA]: 'unknown' }, added([ben]));
    const group = { id: '8@g.us', codes: [200, 504, 404], inviteCodes: [undefined, undefined, undefined] };
    expect(await createGroup('Trip', [BEN, CARLA, DORA], false)).toEqual(group);
    expect(done).toEqual([
      'timer 86400',
      [
        [BEN, '11@lid'],
        [CARLA, undefined],
      ],
      'open 8@g.us',
    ]);
  });

  it('has a result for each person, with the code of an invitation', async () => {
    page(known, added([carla, ben]));
    const group = { codes: [200, 403], inviteCodes: [undefined, 'A1b2'] };
    expect(await createGroup('Trip', [BEN, CARLA], true)).toMatchObject(group);
  });

  it.each([
    [403, 'not_permitted', undefined],
    [429, 'rate_limited', 60],
    [404, 'recipient_not_found', undefined],
  ])(
    'that nobody joined, with code %d, is left again, and an error, unless the results are wanted',
    async (error, code, retryAfterSeconds) => {
      const sendExitGroup = vi.fn(async () => true);
      const exit = { WAWebExitGroupAction: { sendExitGroup } };
      page(known, added([{ ...carla, error }]), exit);
      await expect(createGroup('Trip', [CARLA], false)).rejects.toMatchObject({ code, retryAfterSeconds });
      expect(sendExitGroup).toHaveBeenCalledTimes(1);
      page(known, added([{ ...carla, error }]), exit);
      expect(await createGroup('Trip', [CARLA], true)).toMatchObject({ codes: [error] });
      expect(sendExitGroup).toHaveBeenCalledTimes(1);
    },
  );

  it('that nobody joined, and that cannot be left, is reported with its id: it exists', async () => {
    page(known, added([carla]), { WAWebExitGroupAction: { sendExitGroup: async () => false } });
    const message = expect.stringContaining('alone in 8@g.us');
    await expect(createGroup('Trip', [CARLA], false)).rejects.toMatchObject({ code: 'outcome_unknown', message });
  });

  it('that exists already, or has no participants, is not created', async () => {
    class GroupAlreadyExistsError extends Error {}
    const createGroupJob = () => Promise.reject(new GroupAlreadyExistsError());
    page(known, () => undefined, { WAWebGroupCreateJob: { createGroup: createGroupJob, GroupAlreadyExistsError } });
    await expect(createGroup('Trip', [BEN], false)).rejects.toThrow('nothing was created');
    const done = page({}, () => undefined);
    await expect(createGroup('Trip', [BEN], true)).rejects.toMatchObject({ code: 'recipient_not_found' });
    expect(done).toEqual([]);
  });
});
