import type { WorkerEvent } from '@chat-web/protocol';
import { describe, expect, it, vi } from 'vitest';
import { runOf } from '../../testing/fake-page.ts';
import { toAccountEvent } from './account-event.ts';
import { AccountEvents } from './account-events.ts';

const NOW = 1_800_000_000;
const reaction = (emoji: string, at = NOW * 1_000) => ({ messageId: 'm', chatId: 'c', from: 'a', emoji, at });
/** A live report of the page; `happenedAt` is by the network's clock. */
const live = (data: ReturnType<typeof reaction>, happenedAt = data.at) => ({
  name: 'message_reaction',
  data,
  happenedAt,
});
const change = (emoji: string) => ({ name: 'message_reaction', data: reaction(emoji) });

function accountEvents(stored: () => Promise<unknown[]> = async () => [], linkedAt = 0) {
  const reported: unknown[] = [];
  const log = vi.fn();
  const report = (event: WorkerEvent) => {
    if (event.name !== 'account_event') return;
    reported.push(event.event.name === 'message_reaction' ? event.event.data.emoji : event.event.name);
  };
  const read = vi.fn(stored);
  const run = runOf({ changesSince: read });
  return { events: new AccountEvents({ report, run, log, deliveredUntil: NOW, linkedAt }), reported, log, read };
}

describe('the events of an account', () => {
  it('are reported after missed ones', async () => {
    const { events, reported, read } = accountEvents(async () => [change('1'), change('2')]);
    events.onChange(live(reaction('3')));
    await events.catchUp();
    events.onChange(live(reaction('4')));
    expect(reported).toEqual(['1', '2', '3', '4']);
    expect(read).toHaveBeenCalledWith((NOW - 120) * 1_000, 500);
  });

  it('have the id of their row, if it is valid', async () => {
    const rows: unknown[] = [];
    const report = (event: WorkerEvent) => void (event.name === 'account_event' && rows.push(event.row));
    const stored = { ...change('1'), row: 'A1' };
    const run = runOf({ changesSince: async () => [stored, { ...stored, row: 7 }] });
    const events = new AccountEvents({ report, run, log: vi.fn(), deliveredUntil: NOW, linkedAt: 0 });
    await events.catchUp();
    for (const row of ['B2', 'x'.repeat(101), undefined]) events.onChange({ ...live(reaction('2')), row });
    expect(rows).toEqual(['A1', undefined, 'B2', undefined, undefined]);
  });

  it('are reported live even if the page cannot be read', async () => {
    const { events, reported } = accountEvents(() => Promise.reject(new Error('no')));
    events.onChange(live(reaction('1')));
    await expect(events.catchUp()).rejects.toThrow('no');
    expect(reported).toEqual(['1']);
  });

  it('of an unread time are read later: after a reload of the page, or a failure to read it', async () => {
    vi.useFakeTimers();
    const fails = [() => new Error('Execution context was destroyed'), () => new Error('no')];
    const { events, reported, read } = accountEvents(async () => {
      const error = fails.shift()?.();
      if (error) throw error;
      return [];
    });
    const catchUp = async () => {
      vi.advanceTimersByTime(3_600_000);
      await events.catchUp().catch(() => {});
      return (read.mock.lastCall as unknown[] | undefined)?.[0];
    };
    expect(await catchUp()).toBe((NOW - 120) * 1_000);
    events.onChange(live(reaction('held back')));
    expect(reported).toEqual([]);
    events.pause();
    expect(await catchUp()).toBe((NOW - 120) * 1_000);
    expect(reported).toEqual(['held back']);
    events.pause();
    expect(await catchUp()).toBe((NOW - 120) * 1_000);
    events.pause();
    const downAt = Date.now();
    expect(await catchUp()).toBe(downAt - 120_000);
  });

  it('before linking are history', async () => {
    const { events, reported } = accountEvents();
    events.discardHistory();
    await events.catchUp();
    events.onChange(live(reaction('old', Date.now() - 60_000)));
    events.onChange(live(reaction('new', Date.now() + 1_000)));
    expect(reported).toEqual(['new']);
  });

  it('in the second of the link are news: the times of the network are whole seconds', async () => {
    vi.useFakeTimers({ now: NOW * 1_000 + 900, toFake: ['Date'] });
    const { events, reported } = accountEvents();
    events.discardHistory();
    await events.catchUp();
    events.onChange(live(reaction('at once'), NOW * 1_000));
    const later = accountEvents(undefined, NOW + 0.9);
    await later.events.catchUp();
    later.events.onChange(live(reaction('at once'), NOW * 1_000));
    expect([...reported, ...later.reported]).toEqual(['at once', 'at once']);
  });

  it('before linking, and changes by the first sync, are history even in a later run', async () => {
    const linkedAt = Math.floor(Date.now() / 1_000);
    const later = accountEvents(undefined, NOW - 60);
    later.events.onChange(live(reaction('old', (NOW - 61) * 1_000)));
    later.events.onChange(live(reaction('new', (NOW - 59) * 1_000)));
    await later.events.catchUp();
    expect(later.read).toHaveBeenCalledWith((NOW - 60) * 1_000, 500);
    expect(later.reported).toEqual(['new']);

    for (const [at, reported] of [
      [linkedAt, []],
      [linkedAt - 2 * 3_600, ['chat_updated']],
    ] as const) {
      const { events, reported: received } = accountEvents(undefined, at);
      events.onChange({ name: 'chat_updated', data: { chatId: 'c', unreadCount: 0 } });
      await events.catchUp();
      expect(received).toEqual(reported);
    }
  });

  it("are news regardless of a phone's clock: by the network's time, and once the first sync is over", async () => {
    const { events, reported } = accountEvents();
    events.discardHistory();
    await events.catchUp();
    const skewed = Date.now() - 3 * 3_600_000;
    events.onChange(live(reaction('stored', skewed)));
    events.onChange(live(reaction('by the network', skewed), Date.now() + 1_000));
    expect(reported).toEqual(['by the network']);

    const later = accountEvents(undefined, Math.floor(Date.now() / 1_000) - 2 * 3_600);
    await later.events.catchUp();
    later.events.onChange(live(reaction('with the wrong year', 1_000)));
    expect(later.reported).toEqual(['with the wrong year']);
  });

  it('of presence during a catch-up are reported after it, the last of each chat', async () => {
    const seen: unknown[] = [];
    const report = (event: WorkerEvent) => void (event.name === 'account_event' && seen.push(event.event.data));
    const run = runOf({ changesSince: async () => [] });
    const events = new AccountEvents({ report, run, log: vi.fn(), deliveredUntil: NOW, linkedAt: 0 });
    const presence = (chatId: string, state: string) => ({ name: 'presence', data: { chatId, from: 'a', state } });
    events.onChange(presence('c', 'available'));
    const reading = events.catchUp();
    for (const [chatId, state] of [
      ['c', 'typing'],
      ['d', 'available'],
      ['c', 'recording'],
    ] as const)
      events.onChange(presence(chatId, state));
    await reading;
    expect(seen).toEqual([presence('c', 'recording').data, presence('d', 'available').data]);
    events.onChange(presence('c', 'unavailable'));
    expect(seen.at(-1)).toEqual(presence('c', 'unavailable').data);
  });

  it('are read again if more are reported during a catch-up than it holds back', async () => {
    const { events, reported, log, read } = accountEvents();
    for (let n = 0; n < 1_000; n += 1) events.onChange(live(reaction(`${n}`)));
    const reading = events.catchUp();
    for (let n = 0; n < 5; n += 1) events.onChange(live(reaction('more')));
    read.mockResolvedValue([change('stored')]);
    await reading;
    expect(reported).toHaveLength(1_001);
    expect(reported.at(-1)).toBe('stored');
    expect(read).toHaveBeenCalledTimes(2);
    expect(log).toHaveBeenCalledExactlyOnceWith('warn', 'too much held back', { what: 'changes', max: 1_000 });
  });

  it('of a page that reports too much during each reading are live after the fifth', async () => {
    const { events, read } = accountEvents();
    read.mockImplementation(async () => {
      for (let n = 0; n <= 1_000; n += 1) events.onChange(live(reaction(`${n}`)));
      return [];
    });
    await events.catchUp();
    expect(read).toHaveBeenCalledTimes(5);
  });

  it('are left out if invalid, without their content in the log', async () => {
    const { events, reported, log } = accountEvents();
    await events.catchUp();
    events.onChange({ name: 'message_reaction', data: { ...reaction('1'), at: 'secret' } });
    events.onChange({
      name: 'message_edited',
      data: { id: 'm', chatId: 'c', from: 'a', body: { secret: 1 }, at: NOW },
    });
    events.onChange({ name: 'no_such', data: {} });
    events.onChange({ name: undefined, data: undefined });
    events.onChange(live(reaction('2')));
    expect(reported).toEqual(['2']);
    expect(log).toHaveBeenCalledTimes(4);
    expect(JSON.stringify(log.mock.calls)).not.toContain('secret');
  });
});

it('texts are cut, times kept in range, and unknown people left out', () => {
  const edited = { id: 'm', chatId: 'c', from: 'a', body: 'x'.repeat(300_000), at: 1e300 };
  const { data } = toAccountEvent('message_edited', edited);
  expect(data).toMatchObject({ body: 'x'.repeat(262_144), at: '2106-02-07T06:28:15.000Z' });
  const revoked = { id: 'm', chatId: 'c', from: 'a', by: 'bad\u0000id' };
  expect(toAccountEvent('message_revoked', revoked).data).toEqual({ id: 'm', chatId: 'c', from: 'a' });
});
