import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@chat-web/testing';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { LINK_MARKER, SavedSessions } from './saved-sessions.ts';

const log = pino({ level: 'silent' });
const LINK = { wid: '12025550101@c.us', linkedAt: '2026-11-01T04:00:00.000Z' };

/** A data folder, with an old copy of a session and the folder of an arriving one. */
async function arrival({ hasOld = true } = {}) {
  const folder = temporaryFolder();
  const write = (dir: string, text: string) => {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'keys'), text);
  };
  const old = join(folder.path, 'sessions/main');
  if (hasOld) {
    write(old, 'old');
    writeFileSync(join(old, 'linked.json'), '{}');
  }
  const load = async () => {
    const saved = new SavedSessions(folder.path, join(folder.path, 'pages'));
    await saved.load(log);
    return saved;
  };
  const saved = await load();
  const fresh = await saved.makeArrival('main');
  write(fresh, 'fresh');
  await saved.completeArrival(fresh, LINK);
  const keys = () => (existsSync(old) ? readFileSync(join(old, 'keys'), 'utf8') : undefined);
  return { saved, load, fresh, keys, path: folder.path, [Symbol.dispose]: folder[Symbol.dispose] };
}

it.each([true, false])('an arriving session is in place, and linked (with an earlier copy: %s)', async (hasOld) => {
  using all = await arrival({ hasOld });
  const ready = vi.fn(async () => expect(all.keys()).toBeUndefined());
  await all.saved.place('main', all.fresh, ready);
  expect(ready).toHaveBeenCalledOnce();
  for (const saved of [all.saved, await all.load()]) {
    expect(saved.ids()).toEqual(['main']);
    expect(await saved.about('main')).toEqual(LINK);
  }
  expect(all.keys()).toBe('fresh');
  expect(readdirSync(join(all.path, 'trash'))).toEqual([]);
});

it('an archive only says which account a session has, until the session is ready', async () => {
  using all = await arrival();
  await all.saved.place('main', all.fresh, async () => {});
  const account = { number: '12025550101', isLinked: false };
  expect(await all.saved.accountOf('main')).toEqual(account);
  expect(await (await all.load()).accountOf('main')).toEqual(account);
  await all.saved.save(
    'main',
    { wid: LINK.wid, phone: '12025550101', pushname: 'Ada', platform: 'android' },
    new Date(),
  );
  expect(await all.saved.accountOf('main')).toEqual({ ...account, isLinked: true });
  expect(await all.saved.about('main')).toEqual(LINK);
});

it('a gateway that is killed right after a session was ready keeps the link', async () => {
  using folder = temporaryFolder();
  const saved = new SavedSessions(folder.path, join(folder.path, 'pages'));
  await saved.load(log);
  mkdirSync(saved.profileOf('new'), { recursive: true });
  const saving = saved.save('new', { wid: LINK.wid, phone: '12025550101', pushname: 'Ada', platform: '' }, new Date());
  const markerAtOnce = existsSync(join(saved.dirOf('new'), LINK_MARKER));
  await saving;
  expect(markerAtOnce).toBe(true);
  expect((await saved.about('new')).wid).toBe(LINK.wid);
});

it('the earlier copy is restored if the arrival cannot be recorded', async () => {
  using all = await arrival();
  const full = new Error('ENOSPC');
  await expect(all.saved.place('main', all.fresh, () => Promise.reject(full))).rejects.toBe(full);
  expect(all.keys()).toBe('old');
  expect(all.saved.has('main')).toBe(true);
});

it('the earlier copy is not restored once the arrival is recorded', async () => {
  using all = await arrival();
  await expect(all.saved.place('main', join(all.path, 'nowhere'), async () => {})).rejects.toThrow('ENOENT');
  expect(all.keys()).toBeUndefined();
  expect(all.saved.has('main')).toBe(false);
  expect((await all.load()).ids()).toEqual([]);
});

it('interrupted imports are removed, and their ids returned', async () => {
  using all = await arrival();
  const saved = await all.load();
  expect(await saved.clearArrivals(log)).toEqual(['main']);
  expect(readdirSync(join(all.path, 'arriving'))).toEqual([]);
  expect(all.keys()).toBe('old');
});
