import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/faults/**', '**/node_modules/**'],
    // A process for each file would spend a good part of the time on loading the same modules again.
    isolate: false,
    // Each story runs real browsers: two at a time is what two cores carry.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
