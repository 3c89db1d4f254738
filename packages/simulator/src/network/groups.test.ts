import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultSettings } from '../settings.ts';
import { seededAccounts } from './directory.ts';
import { describeGroup, groupView, requireWriter } from './group.ts';
import { Network } from './network.ts';
import type { AccountRecord, GroupRecord } from './records.ts';

let network: Network;
let people: AccountRecord[];
let group: GroupRecord;
const person = (index: number) => people[index] as AccountRecord;

beforeEach(() => {
  vi.useFakeTimers();
  network = new Network({ ...defaultSettings }, seededAccounts);
  people = network.directory.all();
  group = network.groups.create(person(0), { subject: 'Trip', addressing: 'pn', restrict: true });
  network.groups.announce(group, [person(1)]);
});

afterEach(() => network.close());

const code = (status: number) => expect.objectContaining({ status });
const add = (index: number) => network.groups.add(group, person(0), person(index));

describe('adding a person', () => {
  it('works once', () => {
    expect([add(2), add(2)]).toEqual([200, 409]);
  });

  it('fails for a member who left, but not for one who was removed', () => {
    network.groups.leave(group, person(1));
    add(2);
    network.groups.change(group, person(0), [person(2)], 'remove');
    expect([add(1), add(2)]).toEqual([408, 200]);
  });

  it('who waits for an approval ends the request', () => {
    network.groups.set(group, person(0), { approveJoins: true });
    network.groups.join(group.inviteCode, person(2));
    expect(describeGroup(group).requests).toEqual([person(2).pn]);
    add(2);
    expect(describeGroup(group).requests).toEqual([]);
  });

  it('fails for a person who accepts invitations only', () => {
    person(2).groupPrivacy = 'invite_only';
    expect(add(2)).toBe(403);
  });
});

describe('rights', () => {
  it('are needed to change members and, in a restricted group, the subject', () => {
    expect(() => network.groups.change(group, person(1), [person(0)], 'remove')).toThrow(code(403));
    expect(() => network.groups.set(group, person(1), { subject: 'Mine' })).toThrow(code(403));
    group.restrict = false;
    network.groups.set(group, person(1), { subject: 'Ours' });
    expect(group.subject).toBe('Ours');
  });

  it('pass to another member when the last admin leaves', () => {
    network.groups.leave(group, person(0));
    expect([...group.members]).toEqual([[person(1), 'admin']]);
  });

  it('end with membership', () => {
    network.groups.leave(group, person(1));
    expect(() => network.groups.leave(group, person(1))).toThrow(code(404));
    expect(groupView(group, person(1)).isMember).toBe(false);
    expect(() => network.groups.get(group.id, person(5))).toThrow(code(404));
  });
});

it('lets only admins write if so configured, and no former member', () => {
  network.groups.set(group, person(0), { announce: true });
  expect(() => requireWriter(group, person(0))).not.toThrow();
  expect(() => requireWriter(group, person(1))).toThrow('only admins write');
  expect(() => requireWriter(group, person(2))).toThrow('is no longer in');
});

it('has an id of 18 digits, and lists members by hidden number if it is addressed so', () => {
  const hidden = network.groups.create(person(0), { subject: 'Quiet', addressing: 'lid' });
  expect(hidden.id).toMatch(/^\d{18}@g\.us$/);
  expect(groupView(hidden, person(0)).participants).toEqual([{ id: person(0).lid, rank: 'superadmin' }]);
});

it('refuses a subject that is empty or too long', () => {
  for (const subject of [' ', 'x'.repeat(101)]) {
    expect(() => network.groups.set(group, person(0), { subject })).toThrow('subject: must have');
  }
});
