import { defineConfig } from 'vitest/config';
import { inOrder } from './test/helpers/in-order.ts';

/**
 * What takes 6 s or more, the longest first, so that nothing is waited for alone at the end: vitest would begin with the
 * largest files.
 */
const ORDER = [
  ...['lifecycle', 'account-events', 'keyed-sends', 'webhooks', 'keys', 'link', 'listener', 'operator'],
  ...['token', 'messages', 'api-chats', 'api-contacts', 'group-details', 'forwarding', 'send-options'],
  ...['fuzz', 'page-access', 'endpoint', 'audit', 'fuzz-session'],
  ...['api-messages', 'limits', 'web-page', 'service-notifier', 'api-people', 'api-media', 'openapi'],
  ...['media-response', 'identities', 'browser-sweep', 'cloud-webhook', 'access-matrix', 'every-operation'],
];

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    // Pages of the simulator on their own are tested with the fault stories: each story here uses them.
    exclude: ['test/faults/**', 'packages/simulator/src/page-*.test.ts', '**/node_modules/**'],
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
