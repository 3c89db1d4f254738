import { beforeEach, expect, it, vi } from 'vitest';
import { stubPage } from '../testing/page-registry.ts';
import { setGroupDescription, updateGroupSettings } from './group-details.ts';

const GROUP = '9@g.us';
let calls: unknown[][];
let known: { memberLinkMode?: string; memberAddMode?: string; descId?: string };
/** Called when the next description is refused, because another one was set before. */
let conflict: (() => void) | undefined;
let update: () => Promise<unknown>;
let modules: Record<string, unknown>;
beforeEach(() => {
  calls = [];
  conflict = undefined;
  known = { memberAddMode: 'admin_add' };
  update = async () => undefined;
  const participants = { getModelsArray: () => [{ id: 'me@c.us', isAdmin: true }] };
  const group = {
    id: GROUP,
    get groupMetadata() {
      return { ...known, participants };
    },
  };
  const own = {
    WAWebCollections: { Chat: { get: () => group } },
    WAWebMsgKey: { newId: async () => 'NEW' },
    WAWebGroupModifyInfoJob: {
      setGroupDescription: async (_: object, text: unknown, newId: string, replaced: unknown) => {
        calls.push([text, newId, replaced]);
        const refuse = conflict;
        conflict = undefined;
        if (!refuse) return;
        refuse();
        throw Object.assign(new Error('conflict'), { status: 409 });
      },
    },
    WAWebMexUpdateGroupPropertyJob: {
      mexUpdateGroupPropertyJob: async (_: string, change: object) => {
        calls.push([change]);
        return update();
      },
    },
  };
  modules = stubPage(own, { me: 'me@c.us' });
});

it('a description is removed as the page does it, in builds with separate fields', async () => {
  await setGroupDescription(GROUP, 'Trip', 10);
  await setGroupDescription(GROUP, '', 10);
  expect(calls).toEqual([
    ['Trip', 'NEW', undefined],
    [null, 'NEW', undefined],
  ]);
});

it('a description that someone else changed is set again at once if the page has received the change', async () => {
  const refreshed = vi.fn(async () => {
    known.descId = 'THIRD';
  });
  modules.WAWebGroupQueryJob = { queryAndUpdateGroupMetadataById: refreshed };
  known.descId = 'FIRST';
  conflict = () => {
    known.descId = 'SECOND';
  };
  await setGroupDescription(GROUP, 'Trip', 10);
  expect(calls.map(([, , replaced]) => replaced)).toEqual(['FIRST', 'SECOND']);
  expect(refreshed).not.toHaveBeenCalled();
  // It has not received the change: the group is queried.
  conflict = () => {};
  await setGroupDescription(GROUP, 'Trip', 10);
  expect(calls.slice(2).map(([, , replaced]) => replaced)).toEqual(['SECOND', 'THIRD']);
});

it('if only admins may add people, only they may invite by link, in a second request', async () => {
  const change = (addParticipants: 'admins' | 'everyone') => updateGroupSettings(GROUP, { addParticipants }, 10, 10);
  for (const mode of ['all_member_link', 'admin_link', undefined]) {
    if (mode) known.memberLinkMode = mode;
    else delete known.memberLinkMode;
    expect(await change('admins')).toEqual({ addParticipants: 'admins' });
  }
  await expect(change('everyone')).rejects.toMatchObject({ code: 'outcome_unknown' }); // The page does not show it.
  expect(calls).toEqual([
    [{ member_add_mode: 'ADMIN_ADD' }],
    [{ member_link_mode: 'ADMIN_LINK' }],
    [{ member_add_mode: 'ADMIN_ADD' }],
    [{ member_add_mode: 'ADMIN_ADD' }],
    [{ member_add_mode: 'ALL_MEMBER_ADD' }],
  ]);
});

it.each([
  [404, 'chat_not_found'],
  [403, 'not_permitted'],
  [429, 'rate_limited'],
  [409, 'client_failed'],
])('settings that are refused with %i: %s', async (status, code) => {
  update = async () => Promise.reject(Object.assign(new Error('refused'), { status }));
  const changing = updateGroupSettings(GROUP, { addParticipants: 'admins' }, 10, 10);
  await expect(changing).rejects.toMatchObject({ code });
});

it.each([
  [429, 'rate_limited', 60],
  [404, 'outcome_unknown', undefined],
])('settings that are partly refused with %i: %s names the changed ones', async (status, code, retryAfterSeconds) => {
  const setGroupProperty = vi.fn(async () => undefined);
  (modules.WAWebGroupModifyInfoJob as Record<string, unknown>).setGroupProperty = setGroupProperty;
  update = async () => Promise.reject(Object.assign(new Error('refused'), { status }));
  const wanted = { sendMessages: 'admins', addParticipants: 'admins' } as const;
  await expect(updateGroupSettings(GROUP, wanted, 10, 10)).rejects.toMatchObject({
    code,
    message: expect.stringContaining('changed before it: sendMessages'),
    retryAfterSeconds,
  });
  expect(setGroupProperty).toHaveBeenCalledTimes(1);
});
