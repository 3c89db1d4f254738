import { defineConfig } from 'vitest/config';
import { common } from './vitest.common.ts';

/**
 * Faults for real, and slow unit tests. Much of the time is spent waiting, so that several stories run side by side.
 */
export default defineConfig({
  test: {
    ...common,
    include: ['test/faults/*.test.ts', 'test/*.slow.test.ts', 'packages/*/src/**/*.slow.test.ts'],
    // Each of these has a database of its own, and is in `test:features`.
    exclude: ['packages/gateway/src/cluster/**', '**/node_modules/**'],
    globalSetup: 'test/fresh-bundle.ts',
    // As in `npm test`; `test:long` repeats these stories in the full browser.
    env: { CHAT_WEB_HEADLESS_SHELL: 'true' },
    maxWorkers: 4,
    testTimeout: 600_000,
  },
});
