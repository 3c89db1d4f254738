import { defineConfig } from 'vitest/config';

/**
 * Faults for real, and slow unit tests. Much of the time is spent waiting, so that several stories run side by side.
 */
export default defineConfig({
  test: {
    include: ['test/faults/*.test.ts', 'test/*.slow.test.ts', 'packages/*/src/**/*.slow.test.ts'],
    // Each of these has a database of its own, and is in `test:features`.
    exclude: ['packages/gateway/src/cluster/**', '**/node_modules/**'],
    setupFiles: 'test/after-each.ts',
    // Node itself loads what is built: faster than through Vite.
    server: { deps: { external: [/\/(packages\/[^/]+|scripts)\/dist\//] } },
    globalSetup: 'test/fresh-bundle.ts',
    // As in `npm test`; `test:long` repeats these stories in the full browser.
    env: { CHAT_WEB_HEADLESS_SHELL: 'true' },
    isolate: false,
    maxWorkers: 4,
    testTimeout: 600_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
