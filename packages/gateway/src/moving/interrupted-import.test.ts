import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@chat-web/testing';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Lineages } from '../sessions/lineages.ts';
import { SavedSessions } from '../sessions/saved-sessions.ts';

const log = pino({ level: 'silent' });

/** What a gateway finds when it starts on a data folder. */
async function load(dataDir: string) {
  const saved = new SavedSessions(dataDir, join(dataDir, 'pages'));
  const lineages = new Lineages(join(dataDir, 'moves'), log);
  await lineages.load(() => true);
  await saved.load(log);
  const interrupted = await saved.clearArrivals(log);
  const keys = join(dataDir, 'sessions/main/keys');
  const isMoved = saved.has('main') && lineages.movedAt('main') !== undefined;
  const holds = existsSync(keys) ? readFileSync(keys, 'utf8') : 'nothing';
  return { saved, lineages, interrupted, isMoved, holds };
}

function write(dir: string, keys: string): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'keys'), keys);
}

it('a crash at any step of an import leaves the moved old copy, nothing, or the new one; a retry works', async () => {
  using folder = temporaryFolder();
  const here = join(folder.path, 'here');
  write(join(here, 'sessions/main'), 'old');
  writeFileSync(join(here, 'sessions/main/linked.json'), '{}');
  const { saved, lineages } = await load(here);
  await lineages.moved('main', lineages.departing('main'));
  const elsewhere = new Lineages(join(folder.path, 'elsewhere'), log);
  await elsewhere.load(() => true);
  await elsewhere.arrived('main', lineages.departing('main'));
  const archive = elsewhere.departing('main');

  const crashes: string[] = [];
  /** The disk as it is now, as a crash leaves it. */
  const crash = () => {
    const copy = join(folder.path, `crash-${crashes.length}`);
    cpSync(here, copy, { recursive: true });
    crashes.push(copy);
  };
  const fresh = await saved.makeArrival('main');
  write(fresh, 'new');
  crash();
  await saved.completeArrival(fresh, {});
  crash();
  await saved.place('main', fresh, async () => {
    crash();
    await lineages.arrived('main', archive);
    crash();
  });
  crash();

  const found = [];
  for (const path of crashes) {
    const after = await load(path);
    found.push(`${after.isMoved ? 'moved away, with ' : ''}${after.holds}`);
    if (after.holds === 'new') continue;
    // The archive is still accepted: the move can continue.
    after.lineages.requireNewer('main', archive, after.saved.has('main'));
    expect(after.interrupted).toEqual(['main']);
  }
  const old = 'moved away, with old';
  expect(found).toEqual([old, old, 'nothing', 'nothing', 'new']);
});
