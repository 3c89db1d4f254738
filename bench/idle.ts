import { setTimeout as delay } from 'node:timers/promises';
import { isMain } from './is-main.ts';
import { type ProcessKind, processorTimeOf, since } from './processor-time.ts';
import { byGateway, byLibrary, HEADLESS_SHELL, sideBySide } from './sessions.ts';

/** What sessions that do nothing take from the processor. */

const SESSIONS = 8;
/** What follows a start, such as the first measurements of the gateway, is over by then. */
const SETTLE_MS = 20_000;
const MEASURED_MS = 60_000;

/** What idle sessions use, for each session. */
export interface IdleUse {
  /** Share of one core, in percent. */
  readonly percent: number;
  /** The same of the Node processes alone. */
  readonly nodePercent: number;
  readonly wakeUpsPerSecond: number;
  readonly byKind: Readonly<Record<ProcessKind, { readonly percent: number; readonly wakeUpsPerSecond: number }>>;
}

/** The figures of `measureIdle`, by the name of the way in which the sessions ran. */
export type IdleFigures = Readonly<Record<string, IdleUse>>;

/** Eight idle sessions of the gateway and eight of the library alone, in the same minute. */
export function measureIdle(measuredMs = MEASURED_MS): Promise<IdleFigures> {
  const shell =
    HEADLESS_SHELL === undefined ? [] : [byGateway('ours, headless shell', { CHAT_WEB_HEADLESS_SHELL: 'true' })];
  return sideBySide([byLibrary('library'), byGateway('ours'), ...shell], SESSIONS, async (all) => {
    await delay(SETTLE_MS);
    const before = all.map(({ sessions }) => processorTimeOf(sessions));
    const startedAt = performance.now();
    await delay(measuredMs);
    const perSession = (performance.now() - startedAt) * SESSIONS;
    return Object.fromEntries(
      all.map(({ name, sessions }, at) => {
        const used = since(before[at] ?? new Map(), processorTimeOf(sessions));
        const byKind = Object.fromEntries(
          [...used].map(([kind, { ms, wakeUps }]) => [
            kind,
            { percent: (100 * ms) / perSession, wakeUpsPerSecond: (1_000 * wakeUps) / perSession },
          ]),
        );
        const sum = (of: (kind: ProcessKind) => boolean, field: 'percent' | 'wakeUpsPerSecond') =>
          Object.entries(byKind).reduce((total, [kind, use]) => total + (of(kind) ? use[field] : 0), 0);
        const use: IdleUse = {
          percent: sum(() => true, 'percent'),
          nodePercent: sum((kind) => kind === 'front' || kind === 'worker', 'percent'),
          wakeUpsPerSecond: sum(() => true, 'wakeUpsPerSecond'),
          byKind,
        };
        return [name, use];
      }),
    );
  });
}

if (isMain(import.meta.url)) {
  const figures = await measureIdle();
  console.log(
    `${SESSIONS} idle sessions for ${MEASURED_MS / 1_000} s: share of a core and wake-ups a second, for each session`,
  );
  for (const [name, { percent, nodePercent, wakeUpsPerSecond, byKind }] of Object.entries(figures)) {
    console.log(
      `${name}: ${percent.toFixed(2)} %, of that Node ${nodePercent.toFixed(2)} %; ${wakeUpsPerSecond.toFixed(1)} wake-ups`,
    );
    console.table(
      Object.fromEntries(
        Object.entries(byKind).map(([kind, use]) => [
          kind,
          { '%': use.percent.toFixed(3), 'wake-ups/s': use.wakeUpsPerSecond.toFixed(1) },
        ]),
      ),
    );
  }
}
