import type { Contact, Group } from '@chat-web/protocol';
import { ADA, BEN, childrenOf, eventually, figure, healthTimes, peakMb, resetPeak, withRoom } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

const MAX_HEALTH_MS = 100;

it('lists of hundreds are complete', async () => {
  await using stack = await Stack.start();
  await stack.phones.populate(ADA, { chats: 300, contacts: 1_000, groups: 100 });
  await stack.link('main', ADA);
  await eventually(async () => {
    expect((await stack.client.listChats({ id: 'main' })).length).toBeGreaterThanOrEqual(300);
    expect((await stack.client.listContacts({ id: 'main' })).length).toBeGreaterThanOrEqual(1_000);
    expect((await stack.client.listGroups({ id: 'main' })).length).toBeGreaterThanOrEqual(100);
  });
});

it('a list of 50,000 contacts is complete, by pages and whole, and delays no other request', async () => {
  await using stack = await Stack.start();
  const { phones, client } = stack;
  for (let n = 0; n < 5; n += 1) await phones.populate(ADA, { chats: 0, contacts: 10_000, groups: 0 });
  await phones.populate(ADA, { chats: 0, contacts: 0, groups: 5_000 });
  await stack.link('main', ADA);
  await eventually(async () => expect((await client.listContacts({ id: 'main' })).length).toBeGreaterThan(50_000));

  const pids = { gateway: stack.gateway.pid, worker: childrenOf(stack.gateway.pid)[0] ?? 0 };
  const before = { gateway: resetPeak(pids.gateway), worker: resetPeak(pids.worker) };
  const listed = new AbortController();
  const health = healthTimes(stack.gateway.url, listed.signal);
  // Not parsed here: that would delay the requests that are timed.
  const read = async (list: string) => {
    const startedAt = performance.now();
    const { status, body } = await fetch(`${stack.gateway.url}/sessions/main/${list}`);
    expect(status).toBe(200);
    const pieces: Uint8Array[] = [];
    for await (const piece of body ?? []) pieces.push(piece);
    return { ms: performance.now() - startedAt, rows: () => JSON.parse(Buffer.concat(pieces).toString()) };
  };
  const [contactList, groupList] = [await read('contacts'), await read('groups')];
  listed.abort();
  const times = (await health).sort((one, other) => one - other);
  const p99Ms = times[Math.floor(times.length * 0.99)] ?? 0;
  const contacts: Contact[] = contactList.rows();
  const groups: Group[] = groupList.rows();
  expect(new Set(contacts.map(({ id }) => id)).size).toBe(contacts.length);
  expect(groups.length).toBeGreaterThanOrEqual(5_000);

  const paged: string[] = [];
  for (let after: string | undefined; ; after = paged.at(-1)) {
    const page = await client.listContacts({ id: 'main', limit: 1_000, ...(after === undefined ? {} : { after }) });
    paged.push(...page.map(({ id }) => id));
    if (page.length < 1_000) break;
  }
  expect(paged).toEqual(contacts.map(({ id }) => id));
  const more = (of: keyof typeof pids) => Math.round(peakMb(pids[of]) - before[of]);
  figure(
    'long lists',
    `${contacts.length} contacts in ${Math.round(contactList.ms)} ms, ${groups.length} groups in ${Math.round(groupList.ms)} ms`,
  );
  figure('long lists', `gateway +${more('gateway')} MB, worker +${more('worker')} MB`);
  figure('long lists', `/health p99 ${Math.round(p99Ms)} ms, worst ${Math.round(times.at(-1) ?? 0)} ms`);
  expect(p99Ms).toBeLessThan(withRoom(MAX_HEALTH_MS));
});

it('groups are listed with their members from the storage of the page, or by one request for all', async () => {
  await using stack = await Stack.start();
  const { phones, client } = stack;
  await phones.populate(ADA, { chats: 0, contacts: 0, groups: 30 });
  const { id: leftId } = await phones.createGroup(BEN, { subject: 'Left', participants: [ADA] });
  await phones.updateGroup(ADA, leftId, { leave: true });
  await stack.link('main', ADA);
  const list = async () => {
    const groups = await client.listGroups({ id: 'main' });
    expect(groups.map(({ id }) => id)).not.toContain(leftId);
    expect(groups).toHaveLength(30);
    return groups.filter(({ participantCount }) => participantCount !== undefined).length;
  };
  await phones.refuseRequests(ADA, { requests: ['group', 'groups'], code: 429 });
  expect(await list()).toBe(30);
  // One by one they would exceed the timeout.
  await phones.refuseRequests(ADA, { requests: ['group', 'groups'], code: null });
  await phones.configure({ groupsStored: false, participantsDelayMs: 3_000 });
  await client.restartSession({ id: 'main' });
  expect(await list()).toBe(30);
  // The left group does not cause another query.
  await phones.refuseRequests(ADA, { requests: ['group', 'groups'], code: 429 });
  expect(await list()).toBe(30);
});

it('the number of watched chats is limited', async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_MAX_REQUESTS_PER_SESSION: '300' } });
  const { phones, client } = stack;
  await phones.populate(ADA, { chats: 201, contacts: 0, groups: 0 });
  await stack.link('main', ADA);
  await client.setPresence({ id: 'main', presence: 'available' });
  const people = (
    await eventually(async () => {
      const chats = await client.listChats({ id: 'main' });
      expect(chats.length).toBeGreaterThanOrEqual(201);
      return chats;
    })
  ).map(({ id }) => id);
  const watch = (chatId: string) => client.subscribePresence({ id: 'main', chatId });
  await Promise.all(people.slice(0, 200).map(watch));
  await expect(watch(people[200] ?? '')).rejects.toMatchObject({ code: 'not_permitted' });
  // A watched chat may be subscribed again.
  expect(await watch(people[0] ?? '')).toMatchObject({ chatId: people[0] });
});
