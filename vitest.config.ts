import { defineConfig } from 'vitest/config';
import { common } from './vitest.common.ts';

export default defineConfig({
  test: {
    ...common,
    include: ['packages/*/src/**/*.test.ts', 'test/*.test.ts'],
    // Slow ones are in `test:faults` and `test:features`, long ones in `test:hosts`. `test:long` tests the simulator's
    // pages, tabs and command on their own: each story here uses them.
    exclude: [
      '**/*.{slow,long}.test.ts',
      'packages/simulator/src/{page-*,main,testing/*}.test.ts',
      '**/node_modules/**',
    ],
    globalSetup: 'test/fresh-bundle.ts',
    // It starts in two thirds of the time. Where it is missing, Chromium is used, as in the other tiers.
    env: { CHAT_WEB_HEADLESS_SHELL: 'true' },
    // Each story runs real browsers, and waits for them a part of its time: three keep two cores busy.
    maxWorkers: 3,
    testTimeout: 180_000,
  },
});
