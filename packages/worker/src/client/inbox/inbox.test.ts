import type { WorkerEvent } from '@chat-web/protocol';
import { describe, expect, it, vi } from 'vitest';
import type { HeldMessage } from '../../page/inbox.ts';
import { messageModel, runOf } from '../../testing/fake-page.ts';
import { Inbox } from './inbox.ts';

const NOW = 1_800_000_000;

/** A page that stores messages, and an inbox over it. */
function pageWith(deliveredUntil = 0, withoutContent: string[] = []) {
  const held = new Map<string, HeldMessage & { t: number }>();
  const delivered: string[] = [];
  /** Messages whose content has come. */
  const decrypted = new Set<string>();
  const deliveredTimes: number[] = [];
  const caughtUp: number[] = [];
  const gaps: Extract<WorkerEvent, { name: 'gap' }>[] = [];
  const broken = { load: '', since: '', cut: 0, isQuiet: false };
  const log = vi.fn();
  /** Runs once, while stored messages are read. */
  const during = { read: () => {} };
  /** Messages that the page has not loaded yet, newest first. Two are loaded in a round. */
  const onDisk: string[] = [];
  const model = (id: string) =>
    messageModel({ id, fromMe: false, from: 'a@c.us', body: id, t: held.get(id)?.t ?? NOW });
  const run = runOf({
    loadSince: async () => {
      if (broken.load) throw new Error(broken.load);
      const loaded = onDisk.splice(0, 2);
      for (const id of loaded) held.set(id, { id, isNew: false, t: NOW - 100 + Number(id) });
      return { loaded: loaded.length, incompleteChats: broken.cut || Math.min(onDisk.length, 1) };
    },
    hasChanged: async () => !broken.isQuiet,
    inboundSince: async (seconds: number) => {
      if (broken.since) throw new Error(broken.since);
      return [...held.values()].filter(({ t }) => t >= seconds).sort((a, b) => a.t - b.t);
    },
    contentsOf: async (ids: readonly string[]) => ids.filter((id) => decrypted.has(id)).map(model),
    messageModels: async (ids: readonly string[]) => {
      const { read } = during;
      during.read = () => {};
      read();
      return ids.map((id) => (id.startsWith('odd') ? {} : model(id)));
    },
  });
  const report = (event: WorkerEvent) => {
    if (event.name === 'message') delivered.push(event.message.id);
    if (event.name === 'gap') gaps.push(event);
    if (event.name === 'delivered') deliveredTimes.push(event.until);
    if (event.name === 'caught_up') caughtUp.push(event.since);
  };
  const inbox = new Inbox({ report, run, log, deliveredUntil, withoutContent });
  const unread = (id: string) =>
    inbox.onMessage({ ...model(id), type: 'ciphertext', body: undefined, unavailable: 'not_decrypted' });
  const arrives = (id: string, { t = NOW, isNew = true, isReported = true } = {}) => {
    held.set(id, { id, isNew, t });
    if (isReported) inbox.onMessage(model(id));
  };
  return { inbox, delivered, gaps, deliveredTimes, caughtUp, arrives, broken, unread, decrypted, onDisk, log, during };
}

async function livePage() {
  const page = pageWith();
  await page.inbox.catchUp();
  return page;
}

describe('an inbox', () => {
  it('delivers a message once, however often the page reports it', async () => {
    const { delivered, arrives } = await livePage();
    arrives('a');
    arrives('a');
    expect(delivered).toEqual(['a']);
  });

  it('delivers a message without its content once, and its content once', async () => {
    const { delivered, arrives, unread } = await livePage();
    for (let round = 0; round < 2; round += 1) unread('a');
    arrives('b');
    for (let round = 0; round < 2; round += 1) arrives('a');
    unread('a');
    expect(delivered).toEqual(['a', 'b', 'a']);
  });

  it('delivers contents that came while nothing listened, also of messages of an earlier run', async () => {
    const { inbox, delivered, unread, decrypted } = pageWith(NOW, ['old', 'never']);
    unread('a');
    await inbox.catchUp();
    expect(delivered).toEqual(['a']);
    for (const id of ['old', 'a']) decrypted.add(id);
    for (let round = 0; round < 2; round += 1) await inbox.catchUp();
    expect(delivered).toEqual(['a', 'old', 'a']);
  });

  it('delivers missed messages at a catch-up, and no history', async () => {
    const { inbox, delivered, arrives } = pageWith(NOW);
    arrives('before', { t: NOW - 1, isReported: false });
    arrives('missed', { isNew: false, isReported: false });
    await inbox.catchUp();
    await inbox.catchUp();
    expect(delivered).toEqual(['missed']);
  });

  it('delivers missed messages before live ones that arrive during the catch-up', async () => {
    const { inbox, delivered, arrives } = await livePage();
    arrives('missed', { t: NOW - 1, isReported: false });
    const caughtUp = inbox.catchUp();
    arrives('live');
    arrives('live');
    expect(delivered).toEqual([]);
    await caughtUp;
    expect(delivered).toEqual(['missed', 'live']);
  });

  it('delivers missed messages before live ones that arrive before the catch-up', async () => {
    const { inbox, delivered, arrives } = pageWith();
    arrives('missed', { t: NOW - 1, isReported: false });
    arrives('live');
    expect(delivered).toEqual([]);
    await inbox.catchUp();
    inbox.pause();
    arrives('missed in a reload', { t: NOW + 1, isReported: false });
    arrives('live again', { t: NOW + 2 });
    await inbox.catchUp();
    arrives('later');
    expect(delivered).toEqual(['missed', 'live', 'missed in a reload', 'live again', 'later']);
  });

  it('reads the page again if more live messages arrive during a catch-up than it holds back', async () => {
    const { inbox, delivered, arrives, log, during, caughtUp } = pageWith(NOW - 5_000);
    const ids = Array.from({ length: 1_500 }, (_, n) => `${n}`);
    during.read = () => {
      for (const id of ids) arrives(id);
      arrives('late', { t: NOW - 4_000 });
    };
    arrives('missed', { t: NOW - 1, isReported: false });
    await inbox.catchUp();
    arrives('live');
    expect(delivered).toEqual(['missed', ...ids.slice(0, 1_000), 'late', ...ids.slice(1_000), 'live']);
    const warnings = log.mock.calls.filter(([level]) => level === 'warn');
    expect(warnings).toEqual([['warn', 'too much held back', { what: 'messages', max: 1_000 }]]);
    expect(caughtUp).toEqual([NOW - 5_000]); // Not before the second reading.
  });

  it('holds live messages back when the page is navigated during a catch-up, and delivers them after the next', async () => {
    const { inbox, delivered, arrives, broken } = pageWith();
    arrives('live');
    broken.load = 'Execution context was destroyed';
    await expect(inbox.catchUp()).rejects.toThrow('destroyed');
    expect(delivered).toEqual([]);
    broken.load = '';
    await inbox.catchUp();
    expect(delivered).toEqual(['live']);
  });

  it('loads missed messages in rounds, and delivers the oldest first', async () => {
    const { inbox, delivered, gaps, caughtUp, arrives, onDisk } = pageWith(NOW - 1_000);
    onDisk.push('5', '4', '3', '2', '1');
    const caught = inbox.catchUp();
    arrives('live');
    await caught;
    expect(delivered).toEqual(['1', '2', '3', '4', '5', 'live']);
    expect([gaps, caughtUp]).toEqual([[], [NOW - 1_000]]);
  });

  it('does not report a gap for what an interrupted catch-up leaves to the next', async () => {
    const { inbox, delivered, gaps, onDisk } = pageWith(NOW - 1_000);
    onDisk.push('3', '2', '1');
    const interrupted = inbox.catchUp();
    inbox.pause();
    await interrupted;
    expect([delivered, gaps, onDisk]).toEqual([[], [], ['1']]);
    await inbox.catchUp();
    expect([delivered, gaps]).toEqual([['1', '2', '3'], []]);
  });

  it('delivers the messages in memory if the page cannot load the rest', async () => {
    const { inbox, delivered, arrives, broken } = pageWith();
    arrives('held', { t: NOW - 1, isReported: false });
    arrives('live');
    broken.load = 'no such module';
    await inbox.catchUp();
    arrives('later');
    expect(delivered).toEqual(['held', 'live', 'later']);
  });

  it('delivers live messages even if the page cannot list the stored ones', async () => {
    const { inbox, delivered, arrives, broken } = pageWith();
    arrives('live');
    broken.since = 'a message without an id';
    await expect(inbox.catchUp()).rejects.toThrow(broken.since);
    arrives('later');
    expect(delivered).toEqual(['live', 'later']);
  });

  it('does not check the listeners while older messages are being loaded', async () => {
    const { inbox, delivered, arrives } = pageWith();
    arrives('older', { t: NOW - 600, isReported: false });
    arrives('held', { isReported: false });
    expect([await inbox.checkListeners(), await inbox.checkListeners()]).toEqual(['quiet', 'quiet']);
    expect(delivered).toEqual([]);
    await inbox.catchUp();
    expect(delivered).toEqual(['older', 'held']);
  });

  it('delivers a live message even if the stored copy is unreadable', async () => {
    const { inbox, delivered, arrives } = pageWith();
    arrives('odd one');
    await inbox.catchUp();
    expect(delivered).toEqual(['odd one']);
  });

  it('gives the page time to report a message itself', async () => {
    const { inbox, delivered, arrives } = await livePage();
    arrives('on its way', { isReported: false });
    expect(await inbox.checkListeners()).toBe('quiet');
    expect(delivered).toEqual([]);
    arrives('on its way');
    expect(await inbox.checkListeners()).toBe('listening');
    expect(delivered).toEqual(['on its way']);
  });

  it('detects a deaf page that has not reported a live message for two checks, and delivers it', async () => {
    const { inbox, delivered, arrives } = await livePage();
    arrives('kept', { isReported: false });
    expect(await inbox.checkListeners()).toBe('quiet');
    expect(await inbox.checkListeners()).toBe('deaf');
    expect(await inbox.checkListeners()).toBe('quiet');
    expect(delivered).toEqual(['kept']);
  });

  it('does not consider a page deaf that reports others, or has loaded history', async () => {
    const { inbox, delivered, arrives } = await livePage();
    arrives('never reported by the library', { isReported: false });
    arrives('history', { isNew: false, isReported: false });
    await inbox.checkListeners();
    arrives('live');
    expect(await inbox.checkListeners()).toBe('listening');
    arrives('more history', { isNew: false, isReported: false });
    await inbox.checkListeners();
    expect(await inbox.checkListeners()).toBe('quiet');
    expect(delivered).toHaveLength(4);
  });

  it('skips an unreadable message, and does not retry it', async () => {
    const { inbox, delivered, arrives } = pageWith();
    arrives('odd one', { isReported: false });
    arrives('other', { isReported: false });
    await inbox.catchUp();
    await inbox.catchUp();
    expect(delivered).toEqual(['other']);
  });

  it('recognises a thousand messages a minute for as long as its overlap lasts', async () => {
    const { inbox, delivered, arrives } = await livePage();
    for (let n = 0; n < 2_500; n += 1) arrives(`${n}`, { t: NOW + Math.floor(n / 17) });
    await inbox.catchUp();
    expect(delivered).toHaveLength(2_500);
  });

  it('reports requested messages again, and how far back each catch-up has looked', async () => {
    const { inbox, delivered, caughtUp, arrives, broken } = pageWith(NOW - 5_000);
    arrives('old', { t: NOW - 4_000, isReported: false });
    arrives('recent', { isReported: false });
    await inbox.catchUp();
    expect([delivered.splice(0), caughtUp.splice(0)]).toEqual([['old', 'recent'], [NOW - 5_000]]);

    inbox.lookAgain(NOW - 6_000);
    broken.since = 'the page is gone';
    await expect(inbox.catchUp()).rejects.toThrow();
    expect([delivered, caughtUp]).toEqual([[], []]);
    broken.since = '';
    await inbox.catchUp();
    expect([delivered.splice(0), caughtUp]).toEqual([['old', 'recent'], [NOW - 6_000]]);
    arrives('recent');
    expect(delivered).toEqual([]);
  });

  it('advances the time up to which messages are delivered once an hour while no messages arrive', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const start = Math.floor(Date.now() / 1_000);
    const { inbox, deliveredTimes } = pageWith(start - 60);
    await inbox.catchUp();
    const hour = 3_600;
    for (let quarters = 0; quarters < 4 * 9; quarters += 1) {
      await inbox.checkListeners();
      vi.advanceTimersByTime((hour * 1_000) / 4);
    }
    expect(deliveredTimes).toEqual([start + hour, start + 2 * hour]);
    inbox.pause();
    vi.advanceTimersByTime(9 * hour * 1_000);
    await inbox.checkListeners();
    expect(deliveredTimes).toHaveLength(2);
  });

  it('does not deliver history if the account is linked during a catch-up of expired messages', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const { inbox, delivered, arrives } = pageWith(now - 30 * 24 * 3_600);
    arrives('before the link', { t: now - 60, isReported: false });
    const caughtUp = inbox.catchUp();
    inbox.discardHistory();
    await caughtUp;
    expect(delivered).toEqual([]);
  });

  it('reports gaps: chats that could not be loaded completely, and messages that are too old', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const whole = pageWith(now - 60);
    await whole.inbox.catchUp();
    expect(whole.gaps).toEqual([]);

    const large = pageWith(now - 60);
    large.broken.cut = 3;
    await large.inbox.catchUp();
    await large.inbox.catchUp();
    expect(large.gaps).toEqual([{ name: 'gap', from: now - 60, to: expect.any(Number), chats: 3 }]);

    const unloaded = pageWith(now - 60);
    unloaded.broken.load = 'no such module';
    await unloaded.inbox.catchUp();
    expect(unloaded.gaps).toMatchObject([{ from: now - 60, chats: 1 }]);

    const month = 30 * 24 * 3_600;
    const old = pageWith(now - month);
    await old.inbox.catchUp();
    await old.inbox.catchUp();
    expect(old.gaps).toMatchObject([{ name: 'gap', from: now - month, chats: 0 }]);
    expect(old.gaps[0]?.to).toBeLessThan(now - 6 * 24 * 3_600);

    const quiet = pageWith(now - month);
    quiet.broken.isQuiet = true;
    await quiet.inbox.catchUp();
    expect(quiet.gaps).toEqual([]);
  });
});
