import { defineConfig } from 'vitest/config';

/** Hosts of a cluster, at their real pace: guards, losses, long runs of random faults. One file at a time. */
export default defineConfig({
  test: {
    include: ['test/hosts/*.test.ts', 'packages/**/*.long.test.ts'],
    setupFiles: 'test/after-each.ts',
    globalSetup: 'test/fresh-bundle.ts',
    env: { CHAT_WEB_HEADLESS_SHELL: 'true', TEST_ROUNDS: 'all' },
    isolate: false,
    maxWorkers: 1,
    testTimeout: 900_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
