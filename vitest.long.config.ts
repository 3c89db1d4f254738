import { defineConfig } from 'vitest/config';

const common = {
  setupFiles: 'test/after-each.ts',
  isolate: false,
  testTimeout: 900_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
};
/** The headless shell is supported, too: what a browser has a part in runs in it as well. */
const inHeadlessShell = { ...common, env: { CHAT_WEB_HEADLESS_SHELL: 'true' } };

/** What takes minutes at its real pace, all rounds of a fault, and stories in the headless shell: before a release, and weekly. */
export default defineConfig({
  test: {
    globalSetup: 'test/fresh-bundle.ts',
    projects: [
      {
        test: {
          ...common,
          // These measure a machine that has only this to do, or keep it busy themselves.
          name: 'alone',
          env: { TEST_ROUNDS: 'all' },
          include: ['test/long/alone/*.test.ts', 'test/faults/hostile-worker.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          // Those that take long mostly wait. The pages of the simulator are a part of each other story, too.
          name: 'real pace',
          include: ['test/long/*.test.ts', 'packages/simulator/src/page-*.test.ts'],
          maxWorkers: 6,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...common,
          name: 'all rounds',
          env: { TEST_ROUNDS: 'all' },
          include: [
            'test/faults/{builds,conflict,detection,doctor,fuzz-session,gateway-killed}.test.ts',
            'test/faults/{keyed-sends-and-kills,moves,navigation-storms,one-session-cannot-hurt-another,own-computer,pairing-code}.test.ts',
            'test/faults/{qr,ready-is-never-missed,resumed-streams,start-cannot-hang,sweep}.test.ts',
          ],
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...inHeadlessShell,
          name: 'headless shell',
          include: [
            'test/{api-media,lifecycle,link,messages}.test.ts',
            'test/faults/{detection,frozen-page,graceful-stop,lifecycle,page-crash}.test.ts',
          ],
          maxWorkers: 6,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
