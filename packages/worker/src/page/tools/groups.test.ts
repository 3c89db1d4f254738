import { beforeEach, describe, expect, it, vi } from 'vitest';
import { freshProgram, stubPage } from '../../testing/page-registry.ts';

const id = (text: string) => ({ toString: () => text });
const member = (text: string) => ({ id: id(text) }) as never;
let queries: string[][];
let answer: (numbers: readonly string[]) => Promise<object>;
let tools: typeof import('./groups.ts');
let modules: Record<string, unknown>;

freshProgram();
beforeEach(async () => {
  vi.useFakeTimers();
  queries = [];
  class USyncQuery {
    readonly #numbers: string[] = [];
    withContactProtocol = () => this;
    withLidProtocol = () => this;
    withUser({ number }: { readonly number: string }): this {
      this.#numbers.push(number);
      return this;
    }
    execute(): Promise<object> {
      queries.push(this.#numbers);
      return answer(this.#numbers);
    }
  }
  class USyncUser {
    number = '';
    withPhone(number: string): this {
      this.number = number;
      return this;
    }
  }
  // The page knows both ids of only one person.
  const people = [{ number: '1@c.us', lid: '11@lid' }];
  modules = stubPage({ WAWebUsync: { USyncQuery }, WAWebUsyncUser: { USyncUser } }, { people });
  tools = await import('./groups.ts');
});

const among = [member('11@lid'), member('22@lid'), member('33@lid')];
const act = async (ids: readonly object[]) => ids.map((one) => ({ id: one as never, code: 200 }));

it('people that the page does not know by both ids are looked up in one query', async () => {
  answer = async () => ({
    list: [
      { contact: { type: 'out', content: '+4' } },
      { contact: { type: 'in', content: '+2' }, id: id('22@lid'), pn: id('2@c.us') },
    ],
  });
  const codes = await tools.codesFor(['1@c.us', '2@c.us', '33@lid', '4@c.us', '2@c.us', '44@lid'], among, act);
  expect(codes).toEqual([200, 200, 200, 404, 200, 404]);
  expect(queries).toEqual([['+2', '+4']]);
});

it('people that the page knows are not queried', async () => {
  expect(await tools.codesFor(['1@c.us', '22@lid'], among, act)).toEqual([200, 200]);
  expect(queries).toEqual([]);
});

it('people are not reported as missing after a refused, failed or slow query', async () => {
  answer = async () => ({ error: { all: { errorCode: 429 } } });
  expect(await tools.codesFor(['1@c.us', '2@c.us'], among, act)).toEqual([200, 503]);
  answer = async () => ({ list: [{ contact: { errorCode: 429 } }, { contact: { type: 'out', content: '+3' } }] });
  expect(await tools.codesFor(['2@c.us', '3@c.us'], among, act)).toEqual([503, 404]);
  answer = async () => ({ list: [] });
  expect(await tools.codesFor(['2@c.us'], among, act)).toEqual([503]);
  answer = async () => Promise.reject(new Error('offline'));
  expect(await tools.codesFor(['2@c.us'], among, act)).toEqual([503]);
  answer = () => new Promise(() => {});
  const late = tools.codesFor(['1@c.us', '2@c.us'], among, act);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await late).toEqual([200, 503]);
});

it('does not fail if the page cannot open a group, or not in time', async () => {
  const group = id('9@g.us') as never;
  const find = vi.fn<() => Promise<unknown>>(async () => Promise.reject(new Error('no such chat')));
  modules.WAWebFindChatAction = { findOrCreateLatestChat: find };
  await tools.openGroup(group, 'createGroupAction');
  find.mockImplementation(() => new Promise(() => {}));
  const opened = tools.openGroup(group, 'queryGroupInviteCode', { isGroupJoin: true });
  await vi.advanceTimersByTimeAsync(10_000);
  await opened;
  delete modules.WAWebFindChatAction;
  await tools.openGroup(group, 'createGroupAction');
  expect(find.mock.calls).toEqual([
    [group, 'createGroupAction', undefined],
    [group, 'queryGroupInviteCode', { isGroupJoin: true }],
  ]);
});

describe('the members of many groups', () => {
  const groupOf = (text: string, members: readonly object[] = []) => {
    const group = { id: id(text), members };
    return { ...group, groupMetadata: { participants: { getModelsArray: () => group.members } }, set: group } as never;
  };
  /** A page with groups; it has stored the members of some. */
  const page = (stored: readonly string[], queryAll: () => Promise<unknown>) => {
    const groups = ['1@g.us', '2@g.us', '3@g.us'].map((text) => groupOf(text));
    const load = (text: string) => {
      for (const group of groups as { id: object; set: { members: object[] } }[])
        if (String(group.id) === text) group.set.members = [member('1@c.us')];
    };
    const find = vi.fn(async (wid: object) => stored.includes(String(wid)) && load(String(wid)));
    modules.WAWebCollections = { WAWebGroupMetadataCollection: { find } };
    const run = vi.fn(queryAll);
    modules.WAWebQueryAndUpdateGroupMetadataJob = { queryAndUpdateAllGroupMetadata: run };
    return { groups, load, run };
  };
  const loading = async (groups: readonly never[]) => {
    const done = tools.loadGroups(groups, 5_000);
    await vi.advanceTimersByTimeAsync(6_000);
    await done;
  };

  it("are read from the page's storage", async () => {
    const { groups, run } = page(['1@g.us', '2@g.us', '3@g.us'], async () => undefined);
    await loading(groups);
    expect(run).not.toHaveBeenCalled();
  });

  it.each([
    ['succeeds', async () => undefined],
    ['fails', () => Promise.reject(new Error('429'))],
    ['hangs', () => new Promise(() => {})],
  ])('are otherwise queried in one request, which is not repeated soon if it %s', async (_, answer) => {
    const { groups, run } = page(['1@g.us'], answer);
    await loading(groups);
    await loading(groups);
    expect(run).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(300_000);
    await loading([...groups, groupOf('4@g.us')]);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('are queried for all at once if several are missing or slow', async () => {
    const { groups, load, run } = page([], async () => groups.map(({ id: one }: { id: object }) => load(String(one))));
    const more = Array.from({ length: 20 }, (_, n) => groupOf(`${n + 10}@g.us`));
    const { WAWebGroupMetadataCollection: collection } = modules.WAWebCollections as {
      WAWebGroupMetadataCollection: { find: ReturnType<typeof vi.fn> };
    };
    await loading([...groups, ...more]);
    expect(collection.find.mock.calls.length).toBeLessThan(7);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('only show a group as left if the network reports it', async () => {
    const { groups } = page([], async () => undefined);
    const queryGroupJob = vi.fn(async (one: object) => ({
      status: String(one) === '2@g.us' ? 'not_member' : 'success',
    }));
    modules.WAWebGroupQueryGroupJob = { queryGroupJob };
    await loading(groups);
    const Chat = { get: (one: string) => groups.find((group) => String((group as { id: object }).id) === one) };
    Object.assign(modules.WAWebCollections as object, { Chat });
    const own = await Promise.all(['1@g.us', '2@g.us', '3@g.us'].map((one) => tools.ownGroup(one, 0)));
    expect(own.map((one) => one !== undefined)).toEqual([true, false, true]);
  });
});

describe('a list of members without the account', () => {
  const [me, other] = [member('me@c.us'), member('1@c.us')];
  /** A group of two, with that list; `find` adds the rest from the page's storage. */
  const own = async (list: object[], rest: object[]) => {
    const groupMetadata = { size: 2, participants: { getModelsArray: () => list } };
    const group = { id: id('9@g.us'), groupMetadata };
    const find = vi.fn(async () => list.push(...rest));
    Object.assign(
      modules,
      stubPage(
        { WAWebCollections: { Chat: { get: () => group }, GroupMetadata: { find, update: async () => {} } } },
        { me: 'me@c.us' },
      ),
    );
    const asked = tools.ownGroup('9@g.us', 1_000);
    await vi.advanceTimersByTimeAsync(2_000);
    return { found: await asked, find };
  };

  it('is loaded further if it is shorter than the group', async () => {
    const { found, find } = await own([other], [me]);
    expect(find).toHaveBeenCalledTimes(1);
    expect(found?.members).toHaveLength(2);
  });

  it('leaves the members unknown if the rest does not load: the account may be one', async () => {
    expect((await own([other], [])).found).toMatchObject({ members: undefined, isAdmin: undefined });
  });

  it('means that the account is not in the group if it is as long as the group', async () => {
    const { found, find } = await own([other, member('2@c.us')], []);
    expect([found, find.mock.calls.length]).toEqual([undefined, 0]);
  });
});

it.each([
  [404, 'chat_not_found'],
  [401, 'not_permitted'],
  [403, 'not_permitted'],
])('a change of a group that the network refuses with %i: %s', async (status, code) => {
  await expect(tools.changingGroup(() => Promise.reject({ status }))).rejects.toMatchObject({ code });
});

it('other refusals and errors of a change of a group are left as they are', async () => {
  for (const error of [{ status: 429 }, { status: 500 }, new Error('of the page')])
    await expect(tools.changingGroup(() => Promise.reject(error))).rejects.toBe(error);
});
