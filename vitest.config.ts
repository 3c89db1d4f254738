import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/*.test.ts'],
    // Slow ones are in `test:faults` and `test:features`, long ones in `test:hosts`. `test:long` tests the simulator's
    // pages, tabs and command on their own: each story here uses them.
    exclude: [
      '**/*.{slow,long}.test.ts',
      'packages/simulator/src/{page-*,main,testing/*}.test.ts',
      '**/node_modules/**',
    ],
    globalSetup: 'test/fresh-bundle.ts',
    setupFiles: 'test/after-each.ts',
    // Node itself loads what is built: faster than through Vite.
    server: { deps: { external: [/\/(packages\/[^/]+|scripts)\/dist\//] } },
    // It starts in two thirds of the time. Where it is missing, Chromium is used, as in the other tiers.
    env: { CHAT_WEB_HEADLESS_SHELL: 'true' },
    // A process for each file would spend a good part of the time on loading the same modules again.
    isolate: false,
    // Each story runs real browsers, and waits for them a part of its time: three keep two cores busy.
    maxWorkers: 3,
    testTimeout: 180_000,
    hookTimeout: 300_000,
    // No wait of a test ends by its timeout on a busy machine.
    expect: { poll: { timeout: 60_000 } },
  },
});
