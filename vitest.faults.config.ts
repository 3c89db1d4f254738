import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const common = { isolate: false, testTimeout: 600_000, hookTimeout: 60_000 };

/**
 * The stories in the order in which they begin: what takes longest goes first, so that nothing is waited for alone at
 * the end. Among the quiet ones, those that load the machine take turns beside those that do little but wait.
 */
const ORDER = [
  ...['missing-modules', 'slow-accounts', 'slow-callers'],
  ...['crash-loop', 'conflict', 'busy-is-not-dead', 'gateway-killed', 'detection'],
  ...['locks', 'one-session-cannot-hurt-another', 'sweep', 'memory', 'start-cannot-hang'],
  ...[
    'watchdog',
    'doctor-findings',
    'doctor',
    'builds',
    'ready-is-never-missed',
    'navigation-storms',
    'qr',
    'frozen-page',
  ],
];

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = ORDER.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return found < 0 ? ORDER.length : found;
    };
    return [...files].sort((a, b) => place(a) - place(b));
  }
}

/** Faults for real, and at their real pace: most of the time is spent waiting, so that stories run side by side. */
export default defineConfig({
  test: {
    sequence: { sequencer: InOrder },
    projects: [
      {
        test: {
          ...common,
          // Measures how soon the gateway answers, on a host that has only this to do.
          name: 'alone',
          include: ['test/faults/alone/*.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          // Half of these load the machine, or measure what a loaded one spoils; the others leave it to them.
          name: 'quiet',
          include: ['test/faults/quiet/*.test.ts'],
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...common,
          name: 'side by side',
          include: ['test/faults/*.test.ts'],
          maxWorkers: 5,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
