import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { common } from './vitest.common.ts';

/** The files of a folder whose source matches. */
function filesWith(pattern: RegExp, folder: string): string[] {
  const names = readdirSync(new URL(folder, import.meta.url)).filter((name) => name.endsWith('.test.ts'));
  const files = names.map((name) => folder + name);
  return files.filter((path) => pattern.test(readFileSync(new URL(path, import.meta.url), 'utf8')));
}
const withPromises = ['test/', 'test/faults/', 'test/features/'].flatMap((folder) => filesWith(/\bwithRoom\(/, folder));
const withRounds = filesWith(/\brounds[(<]|\bitInAllRounds\(/, 'test/faults/').filter(
  (path) => !withPromises.includes(path),
);

const slow = { ...common, testTimeout: 900_000 };

/** These measure a machine that has only this to do, or keep it busy themselves. */
const alone = {
  ...slow,
  name: 'alone',
  env: { TEST_ALONE: 'true', TEST_ROUNDS: 'all' },
  include: ['test/long/alone/*.test.ts', ...withPromises],
  maxWorkers: 1,
  sequence: { groupOrder: 0 },
};

/** Those that take long mostly wait. Each other story uses the simulator, too. */
const realPace = {
  ...slow,
  name: 'real pace',
  include: ['test/long/*.test.ts', 'packages/simulator/src/{page-*,main,testing/*}.test.ts'],
  maxWorkers: 6,
  sequence: { groupOrder: 1 },
};

/** The API as a whole, and what there is beside it: the console, the tools, the examples, the service, the cluster. */
const features = {
  ...slow,
  name: 'features',
  env: { TEST_ROUNDS: 'all' },
  include: ['test/features/*.test.ts', 'packages/gateway/src/cluster/**/*.slow.test.ts'],
  exclude: withPromises,
  maxWorkers: 4,
  sequence: { groupOrder: 2 },
};

const allRounds = {
  ...slow,
  name: 'all rounds',
  env: { TEST_ROUNDS: 'all' },
  include: withRounds,
  maxWorkers: 3,
  sequence: { groupOrder: 3 },
};

/** `npm test` and `npm run test:faults` run these in the headless shell. */
const fullBrowser = {
  ...slow,
  name: 'full browser',
  env: { TEST_ROUNDS: 'all' },
  include: ['test/*.test.ts', 'test/faults/*.test.ts'],
  exclude: [...withPromises, ...withRounds, 'test/faults/headless-shell.test.ts'],
  maxWorkers: 4,
  sequence: { groupOrder: 4 },
};

/**
 * Before a release, and weekly: what takes minutes at its real pace, the features, all rounds of a fault, and each
 * browser.
 */
export default defineConfig({
  test: {
    globalSetup: 'test/fresh-bundle.ts',
    projects: [alone, realPace, features, allRounds, fullBrowser].map((test) => ({ test })),
  },
});
