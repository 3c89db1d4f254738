import { chmodSync, chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually, OTHER_USER, temporaryFolder } from '@chat-web/testing';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { Lineages, MAX_GONE } from './lineages.ts';

const log = pino({ level: 'silent' });

/** A folder that accepts files, but cannot be synced. */
const unsynced = (path: string, work: () => Promise<void>) => limited(path, 0o300, work);
/** A folder that accepts no files. */
const unwritable = (path: string, work: () => Promise<void>) => limited(path, 0o500, work);

/** Runs as another user if this is root, which may write to any folder. */
async function limited(path: string, mode: number, work: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) for (const one of [dirname(path), path]) chownSync(one, OTHER_USER, OTHER_USER);
  chmodSync(path, mode);
  if (isRoot) process.seteuid?.(OTHER_USER);
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(path, 0o700);
  }
}

/** The lineages of two gateways, which may be stopped and started again. */
async function gateways() {
  const folder = temporaryFolder();
  const load = async (name: string) => {
    const lineages = new Lineages(join(folder.path, name), log);
    await lineages.load(() => true);
    return lineages;
  };
  return { folder, load, here: await load('here'), there: await load('there'), ...folder };
}

async function leave(lineages: Lineages) {
  const about = lineages.departing('main');
  await lineages.moved('main', about);
  return about;
}

async function arrive(lineages: Lineages, about: Awaited<ReturnType<typeof leave>>, isHere: boolean) {
  lineages.requireNewer('main', about, isHere);
  await lineages.arrived('main', about);
  await lineages.runs('main');
}

it('accepts a session that moves there and back, any number of times', async () => {
  using all = await gateways();
  const { here, there } = all;
  for (let n = 0; n < 20; n += 1) {
    await arrive(there, await leave(here), n > 0);
    expect(here.movedAt('main')).toBeInstanceOf(Date);
    await arrive(here, await leave(there), true);
    expect(here.movedAt('main')).toBeUndefined();
  }
});

it('returns the same lineage whenever a departed session leaves again', async () => {
  using all = await gateways();
  const about = await leave(all.here);
  expect(all.here.departing('main')).toMatchObject(about);
  expect((await all.load('here')).departing('main')).toMatchObject(about);
});

it('refuses an archive that is older than the last run here, even after a restart, a deletion and a fork', async () => {
  using all = await gateways();
  const old = await leave(all.here);
  await arrive(all.there, old, false);
  const newer = await leave(all.there);
  await arrive(all.here, newer, true);
  const stale = expect.objectContaining({ code: 'stale_export' });
  for (const lineages of [all.here, await all.load('here')]) {
    expect(() => lineages.requireNewer('main', old, false)).toThrow(stale);
    expect(() => lineages.requireNewer('main', newer, false)).toThrow(stale);
  }
  await all.here.gone('main');
  expect(() => all.here.requireNewer('main', newer, false)).toThrow(stale);
  // Taken back there, although it runs here: the two have nothing new in common.
  await all.there.takenBack('main');
  await all.there.runs('main');
  expect(() => all.here.requireNewer('main', all.there.departing('main'), false)).toThrow(stale);
});

it('refuses an archive of the current state, but accepts it once the session is deleted', async () => {
  using all = await gateways();
  const about = await leave(all.here);
  expect(() => all.here.requireNewer('main', about, true)).toThrow(expect.objectContaining({ code: 'stale_export' }));
  await all.here.gone('main');
  all.here.requireNewer('main', about, false);
});

it('takes back a session that has not run on the other side, and counts that as newer', async () => {
  using all = await gateways();
  const about = await leave(all.here);
  await all.there.arrived('main', about); // Its start was refused.
  all.here.requireNewer('main', await leave(all.there), true);
});

it('does not know another link of the same name, and does not replace its own by it', async () => {
  using all = await gateways();
  const other = await leave(all.there);
  await leave(all.here);
  expect(() => all.here.requireNewer('main', other, true)).toThrow(expect.objectContaining({ code: 'session_exists' }));
  await all.here.gone('main');
  all.here.requireNewer('main', other, false);
  // Linked again under the old name: another link.
  expect(all.here.departing('main').link).not.toBe(other.link);
});

it('writes nothing for a session that never moves', async () => {
  using all = await gateways();
  await all.here.runs('main');
  await all.here.gone('main');
  expect(readdirSync(join(all.folder.path, 'here'))).toEqual([]);
  await leave(all.here);
  expect(readdirSync(join(all.folder.path, 'here'))).toEqual(['main.json']);
});

it('counts a session with a corrupt file as moved, until it is taken back', async () => {
  using all = await gateways();
  const about = await leave(all.here);
  await all.here.arrived('main', about);
  const path = join(all.folder.path, 'here', 'main.json');
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, 40));
  const spoiled = await all.load('here');
  expect(spoiled.movedAt('main')).toBeInstanceOf(Date);
  expect(() => spoiled.requireNewer('main', about, true)).toThrow(expect.objectContaining({ code: 'session_exists' }));
  await spoiled.takenBack('main');
  expect((await all.load('here')).movedAt('main')).toBeUndefined();
});

describe('a folder that cannot be synced', () => {
  it('lets no session leave; existing sessions stay, and start', async () => {
    using all = await gateways();
    const about = all.here.departing('main');
    await unsynced(join(all.folder.path, 'here'), async () => {
      await expect(all.here.moved('main', about)).rejects.toThrow();
      await all.here.runs('main');
    });
    for (const lineages of [all.here, await all.load('here')]) expect(lineages.movedAt('main')).toBeUndefined();
  });

  it('takes no session back, and lets its archive leave again only once its departure is certain', async () => {
    using all = await gateways();
    const about = await leave(all.here);
    const path = join(all.folder.path, 'here');
    await unsynced(path, () => expect(all.here.takenBack('main')).rejects.toThrow());
    for (const lineages of [all.here, await all.load('here')]) expect(lineages.movedAt('main')).toBeInstanceOf(Date);
    await unsynced(path, () => expect(leave(all.here)).rejects.toThrow());
    expect(await leave(all.here)).toMatchObject(about);
  });
});

describe('a folder that cannot be written', () => {
  it('lets an existing session start, although it was about to leave', async () => {
    using all = await gateways();
    await arrive(all.here, await leave(all.there), false);
    await unwritable(join(all.folder.path, 'here'), async () => {
      await expect(leave(all.here)).rejects.toThrow();
      await all.here.runs('main');
    });
    expect((await all.load('here')).movedAt('main')).toBeUndefined();
  });

  it('keeps a session away that was about to be taken back, as soon as the folder is writable again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    using all = await gateways();
    const about = await leave(all.here);
    const path = join(all.folder.path, 'here');
    const file = join(path, 'main.json');
    await unwritable(path, () => expect(all.here.takenBack('main')).rejects.toThrow());
    // What was written before the folder could not be synced.
    const taken = readFileSync(file, 'utf8').replace('"moved"', '"here"');
    writeFileSync(file, taken);
    await unwritable(path, async () => {
      for (const other of ['first', 'second']) {
        vi.advanceTimersByTime(10_000);
        // This write is queued behind the retry, which has then failed, too.
        await expect(all.here.moved(other, about)).rejects.toThrow();
      }
    });
    expect(readFileSync(file, 'utf8')).toBe(taken);
    vi.advanceTimersByTime(10_000);
    await eventually(() => expect(readFileSync(file, 'utf8')).toContain('"moved"'));
    await all.here.takenBack('main');
    expect((await all.load('here')).movedAt('main')).toBeUndefined();
  });
});

it('of deleted sessions, keeps the newest records, and of each only what recognizes a stale archive', async () => {
  using all = await gateways();
  const generations = Array.from({ length: 20 }, (_, n) => String(n).padStart(16, '0'));
  const about = { link: 'f'.repeat(16), generations };
  for (let n = 0; n < MAX_GONE + 2; n += 1) {
    await all.here.arrived(`s${n}`, about);
    await all.here.gone(`s${n}`);
  }
  const files = readdirSync(join(all.path, 'here'));
  expect(files).toHaveLength(MAX_GONE);
  expect(JSON.parse(readFileSync(join(all.path, 'here', 's2.json'), 'utf8')).generations).toEqual(
    generations.slice(-1),
  );
  for (const lineages of [all.here, await all.load('here')]) {
    expect(() => lineages.requireNewer('s0', about, false)).not.toThrow();
    expect(() => lineages.requireNewer('s2', { ...about, generations: generations.slice(0, -1) }, false)).toThrow(
      'has run',
    );
    expect(() => lineages.requireNewer('s2', about, false)).not.toThrow();
  }
  // The oldest is dropped, also after a restart.
  const restarted = await all.load('here');
  await restarted.arrived('new', about);
  await restarted.gone('new');
  const kept = new Set(readdirSync(join(all.path, 'here')));
  const [dropped, ...others] = files.filter((file) => !kept.has(file));
  expect(others).toEqual([]);
  expect(Number(/^s(\d+)\.json$/.exec(dropped ?? '')?.[1])).toBeLessThan(100);
});
