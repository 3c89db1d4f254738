import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const common = { testTimeout: 600_000, hookTimeout: 60_000 };

/** What waits longest begins first, so that nothing is waited for alone at the end. */
const LONGEST = ['crash-loop', 'conflict', 'sweep', 'detection', 'watchdog', 'memory', 'qr', 'start-cannot-hang'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return found < 0 ? LONGEST.length : found;
    };
    return [...files].sort((a, b) => place(a) - place(b));
  }
}

/** Faults for real, and at their real pace: most of the time is spent waiting, so that stories run side by side. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'side by side',
          include: ['test/faults/*.test.ts'],
          maxWorkers: 4,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          // These load the machine, or measure what a loaded machine spoils.
          name: 'alone',
          include: ['test/faults/alone/*.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
