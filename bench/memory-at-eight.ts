import { setTimeout as delay } from 'node:timers/promises';
import { isMain } from './is-main.ts';
import { measureTree } from './memory.ts';
import { byGateway, byLibrary, HEADLESS_SHELL, receive, type Sessions, type Way } from './sessions.ts';

/** The memory of sessions that run side by side, as the gateway runs them and as the library does alone. */

const SESSIONS = 8;
const TEXTS = 1_000;
const SETTLE_MS = 10_000;

/** MB for each session. */
export interface SessionsMemory {
  readonly workerMb: number;
  readonly browserMb: number;
  /** Of one browser. */
  readonly browserProcesses: number;
}

/** The memory of sessions when they are ready, and after a thousand inbound texts each. */
export interface MemoryFigures {
  readonly ready: SessionsMemory;
  readonly afterTexts: SessionsMemory;
}

/**
 * The figures by the name of the way in which the sessions ran: `library`, `ours`, and `ours, headless shell` where that is
 * installed; of those that are `wanted` alone, if any is named.
 */
export async function measureMemory(wanted: readonly string[] = []): Promise<Readonly<Record<string, MemoryFigures>>> {
  const shell =
    HEADLESS_SHELL === undefined ? [] : [byGateway('ours, headless shell', { CHAT_WEB_HEADLESS_SHELL: 'true' })];
  const ways: Way[] = [byLibrary('library'), byGateway('ours'), ...shell];
  const figures: Record<string, MemoryFigures> = {};
  for (const way of ways) {
    if (wanted.length === 0 || wanted.includes(way.name)) figures[way.name] = await way.run(SESSIONS, measure);
  }
  return figures;
}

async function measure(sessions: Sessions): Promise<MemoryFigures> {
  await delay(SETTLE_MS);
  const ready = memoryOf(sessions);
  await receive(sessions, TEXTS);
  await delay(SETTLE_MS);
  return { ready, afterTexts: memoryOf(sessions) };
}

function memoryOf({ workerPids }: Sessions): SessionsMemory {
  const all = workerPids.map(measureTree);
  const mean = (pick: (one: (typeof all)[number]) => number) =>
    all.reduce((total, one) => total + pick(one), 0) / all.length;
  return {
    workerMb: mean(({ workerMb }) => workerMb),
    browserMb: mean(({ browserMb }) => browserMb),
    browserProcesses: mean(({ browserProcesses }) => browserProcesses),
  };
}

if (isMain(import.meta.url)) {
  const figures = await measureMemory(process.argv.slice(2));
  const bare = figures.library;
  const total = ({ workerMb, browserMb }: SessionsMemory) => workerMb + browserMb;
  const shown = (now: SessionsMemory, reference: SessionsMemory | undefined) => ({
    worker: now.workerMb.toFixed(1),
    browser: now.browserMb.toFixed(1),
    both: total(now).toFixed(1),
    ratio: reference ? (total(now) / total(reference)).toFixed(2) : '',
    processes: now.browserProcesses.toFixed(1),
  });
  console.log(`${SESSIONS} sessions, MB for each: process (USS) and browser (Pss_Anon + Pss_Shmem)`);
  console.log(`ratio: of both, to the library on Chromium`);
  for (const [name, { ready, afterTexts }] of Object.entries(figures)) {
    console.log(name);
    console.table({ ready: shown(ready, bare?.ready), [`after ${TEXTS} texts`]: shown(afterTexts, bare?.afterTexts) });
  }
}
