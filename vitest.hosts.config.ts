import { defineConfig } from 'vitest/config';
import { common } from './vitest.common.ts';

/** Hosts of a cluster, at their real pace: guards, losses, long runs of random faults. One file at a time. */
export default defineConfig({
  test: {
    ...common,
    include: ['test/hosts/*.test.ts', 'packages/**/*.long.test.ts'],
    globalSetup: 'test/fresh-bundle.ts',
    env: { CHAT_WEB_HEADLESS_SHELL: 'true', TEST_ROUNDS: 'all' },
    maxWorkers: 1,
    testTimeout: 900_000,
  },
});
