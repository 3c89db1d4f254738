import { defineConfig } from 'vitest/config';
import { inOrder } from './test/helpers/in-order.ts';

/**
 * What takes 6 s or more, the longest first, so that nothing is waited for alone at the end: vitest would begin with the
 * largest files.
 */
const ORDER = [
  ...['moves', 'lifecycle', 'page-passkey', 'keys', 'page-keys', 'page-builds', 'isolation', 'builds', 'token', 'fuzz'],
  ...['messages', 'keyed-sends', 'link', 'page-link', 'page-pairing', 'audit', 'service', 'limits', 'operator'],
  ...['page-messages', 'page-groups', 'page-access', 'webhooks', 'service-notifier', 'api-people', 'journal'],
  ...['media-response', 'access-matrix', 'api-media', 'browser-sweep', 'dialogs', 'web-page', 'examples'],
  ...['page-people', 'api-messages', 'fuzz-session', 'host-package'],
];

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/faults/**', '**/node_modules/**'],
    sequence: { sequencer: inOrder(ORDER) },
    globalSetup: 'test/helpers/fresh-bundle.ts',
    // A process for each file would spend a good part of the time on loading the same modules again.
    isolate: false,
    // Each story runs real browsers, and waits for them a good part of its time: three keep two cores busy.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A machine that does other things, too, may take a second for what takes milliseconds.
    expect: { poll: { timeout: 10_000 } },
  },
});
