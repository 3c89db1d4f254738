import { beforeEach, expect, it, vi } from 'vitest';
import { stubPage } from '../testing/page-registry.ts';
import { changeSettings, setDescription } from './group-details.ts';

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
  expect(await setDescription(GROUP, 'Trip', 10)).toBe('ok');
  expect(await setDescription(GROUP, '', 10)).toBe('ok');
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
  expect(await setDescription(GROUP, 'Trip', 10)).toBe('ok');
  expect(calls.map(([, , replaced]) => replaced)).toEqual(['FIRST', 'SECOND']);
  expect(refreshed).not.toHaveBeenCalled();
  // It has not received the change: the group is queried.
  conflict = () => {};
  expect(await setDescription(GROUP, 'Trip', 10)).toBe('ok');
  expect(calls.slice(2).map(([, , replaced]) => replaced)).toEqual(['SECOND', 'THIRD']);
});

it('if only admins may add people, only they may invite by link', async () => {
  const change = (addParticipants: 'admins' | 'everyone') => changeSettings(GROUP, { addParticipants }, 10, 10);
  expect(await change('admins')).toMatchObject({ changed: ['addParticipants'], isShown: true });
  known.memberLinkMode = 'admin_link';
  await change('admins');
  await change('everyone');
  expect(calls).toEqual([
    [{ member_add_mode: 'ADMIN_ADD', member_link_mode: 'ADMIN_LINK' }],
    [{ member_add_mode: 'ADMIN_ADD' }],
    [{ member_add_mode: 'ALL_MEMBER_ADD' }],
  ]);
});

it('a group that is gone has no settings', async () => {
  update = async () => Promise.reject(Object.assign(new Error('item-not-found'), { status: 404 }));
  expect(await changeSettings(GROUP, { addParticipants: 'admins' }, 10, 10)).toBe('no_group');
});
