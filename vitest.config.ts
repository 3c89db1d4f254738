import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/faults/**', '**/node_modules/**'],
    globalSetup: 'test/helpers/fresh-bundle.ts',
    // A process for each file would spend a good part of the time on loading the same modules again.
    isolate: false,
    // Each story runs real browsers, and waits for them a good part of its time: three keep two cores busy.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
