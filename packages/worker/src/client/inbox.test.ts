import type { WorkerEvent } from '@chat-web/protocol';
import { describe, expect, it, vi } from 'vitest';
import type { HeldMessage } from '../page/inbox.ts';
import { Inbox } from './inbox.ts';

const NOW = 1_800_000_000;

/** A page that holds messages, and an inbox over it. */
function pageWith(heardUntil = 0) {
  const held = new Map<string, HeldMessage & { t: number }>();
  const told: string[] = [];
  const heard: number[] = [];
  const gaps: Extract<WorkerEvent, { name: 'gap' }>[] = [];
  const broken = { load: '', since: '', cut: 0, isQuiet: false };
  const model = (id: string) => ({
    ...{ id, fromMe: false, from: 'a@c.us', to: 'b@c.us', mentionedIds: [], type: 'chat', body: id },
    ...{ t: held.get(id)?.t ?? NOW, hasMedia: false, isForwarded: false, isStatus: false },
  });
  const inbox = new Inbox(
    (event: WorkerEvent) => {
      if (event.name === 'message') told.push(event.message.id);
      if (event.name === 'gap') gaps.push(event);
      if (event.name === 'heard') heard.push(event.until);
    },
    {
      load: async () => {
        if (broken.load) throw new Error(broken.load);
        return broken.cut;
      },
      hasChanged: async () => !broken.isQuiet,
      since: async (seconds) => {
        if (broken.since) throw new Error(broken.since);
        return [...held.values()].filter(({ t }) => t >= seconds);
      },
      models: async (ids) => ids.map((id) => (id.startsWith('odd') ? {} : model(id))),
    },
    () => {},
    heardUntil,
  );
  const comes = (id: string, { t = NOW, isNew = true, isTold = true } = {}) => {
    held.set(id, { id, isNew, t });
    if (isTold) inbox.onMessage(model(id));
  };
  return { inbox, told, gaps, heard, comes, broken };
}

/** The same, once what it held at first has been told of. */
async function heardPage() {
  const page = pageWith();
  await page.inbox.catchUp();
  return page;
}

describe('an inbox', () => {
  it('tells of a message once, however often the page does', async () => {
    const { told, comes } = await heardPage();
    comes('a');
    comes('a');
    expect(told).toEqual(['a']);
  });

  it('tells at once of what came while nobody listened, and of nothing from before', async () => {
    const { inbox, told, comes } = pageWith(NOW);
    comes('before', { t: NOW - 1, isTold: false });
    comes('missed', { isNew: false, isTold: false });
    await inbox.catchUp();
    await inbox.catchUp();
    expect(told).toEqual(['missed']);
  });

  it('tells of what was missed before what comes in while that is looked for', async () => {
    const { inbox, told, comes } = await heardPage();
    comes('missed', { t: NOW - 1, isTold: false });
    const caughtUp = inbox.catchUp();
    comes('live');
    comes('live');
    expect(told).toEqual([]);
    await caughtUp;
    expect(told).toEqual(['missed', 'live']);
  });

  it('tells of what was missed before what comes in as soon as the listeners are attached', async () => {
    const { inbox, told, comes } = pageWith();
    comes('missed', { t: NOW - 1, isTold: false });
    comes('live');
    expect(told).toEqual([]);
    await inbox.catchUp();
    inbox.beginAgain();
    comes('missed in a reload', { t: NOW + 1, isTold: false });
    comes('live again', { t: NOW + 2 });
    await inbox.catchUp();
    comes('later');
    expect(told).toEqual(['missed', 'live', 'missed in a reload', 'live again', 'later']);
  });

  it('keeps what comes in when the page goes before it has been asked, and tells of it later', async () => {
    const { inbox, told, comes, broken } = pageWith();
    comes('live');
    broken.load = 'Execution context was destroyed';
    await expect(inbox.catchUp()).rejects.toThrow('destroyed');
    expect(told).toEqual([]);
    broken.load = '';
    await inbox.catchUp();
    expect(told).toEqual(['live']);
  });

  it('tells of what the page holds, where it cannot load the rest', async () => {
    const { inbox, told, comes, broken } = pageWith();
    comes('held', { t: NOW - 1, isTold: false });
    comes('live');
    broken.load = 'no such module';
    await inbox.catchUp();
    comes('later');
    expect(told).toEqual(['held', 'live', 'later']);
  });

  it('is not silenced by a page that cannot say what it holds', async () => {
    const { inbox, told, comes, broken } = pageWith();
    comes('live');
    broken.since = 'a message without an id';
    await expect(inbox.catchUp()).rejects.toThrow(broken.since);
    comes('later');
    expect(told).toEqual(['live', 'later']);
  });

  it('looks at nothing while older messages are being loaded', async () => {
    const { inbox, told, comes } = pageWith();
    comes('older', { t: NOW - 600, isTold: false });
    comes('held', { isTold: false });
    expect([await inbox.look(), await inbox.look()]).toEqual(['quiet', 'quiet']);
    expect(told).toEqual([]);
    await inbox.catchUp();
    expect(told).toEqual(['older', 'held']);
  });

  it('tells of one that came live, although the page has no legible copy', async () => {
    const { inbox, told, comes } = pageWith();
    comes('odd one');
    await inbox.catchUp();
    expect(told).toEqual(['odd one']);
  });

  it('leaves the page a while to tell of a message by itself', async () => {
    const { inbox, told, comes } = await heardPage();
    comes('on its way', { isTold: false });
    expect(await inbox.look()).toBe('quiet');
    expect(told).toEqual([]);
    comes('on its way');
    expect(await inbox.look()).toBe('hears');
    expect(told).toEqual(['on its way']);
  });

  it('finds a page deaf that has kept a live message for two looks, and tells of it', async () => {
    const { inbox, told, comes } = await heardPage();
    comes('kept', { isTold: false });
    expect(await inbox.look()).toBe('quiet');
    expect(await inbox.look()).toBe('deaf');
    expect(await inbox.look()).toBe('quiet');
    expect(told).toEqual(['kept']);
  });

  it('finds no page deaf that tells of others, nor one that has loaded history', async () => {
    const { inbox, told, comes } = await heardPage();
    comes('never told by the library', { isTold: false });
    comes('history', { isNew: false, isTold: false });
    await inbox.look();
    comes('live');
    expect(await inbox.look()).toBe('hears');
    comes('more history', { isNew: false, isTold: false });
    await inbox.look();
    expect(await inbox.look()).toBe('quiet');
    expect(told).toHaveLength(4);
  });

  it('passes over one that cannot be read, once', async () => {
    const { inbox, told, comes } = pageWith();
    comes('odd one', { isTold: false });
    comes('other', { isTold: false });
    await inbox.catchUp();
    await inbox.catchUp();
    expect(told).toEqual(['other']);
  });

  it('remembers a thousand messages a minute for as long as it looks back', async () => {
    const { inbox, told, comes } = await heardPage();
    for (let n = 0; n < 2_500; n += 1) comes(`${n}`, { t: NOW + Math.floor(n / 17) });
    await inbox.catchUp();
    expect(told).toHaveLength(2_500);
  });

  it('has heard what came before a time at which it listened, once an hour, though nobody wrote', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const start = Math.floor(Date.now() / 1_000);
      const { inbox, heard } = pageWith(start - 60);
      await inbox.catchUp();
      const hour = 3_600;
      for (let quarters = 0; quarters < 4 * 9; quarters += 1) {
        await inbox.look();
        vi.advanceTimersByTime((hour * 1_000) / 4);
      }
      expect(heard).toEqual([start + hour, start + 2 * hour]);
      inbox.beginAgain();
      vi.advanceTimersByTime(9 * hour * 1_000);
      await inbox.look();
      expect(heard).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('tells of what it has cut: chats that hold more than could be loaded, and what is too old', async () => {
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
