import { findBrowser } from '@chat-web/worker/browser';
import { defineConfig } from 'vitest/config';
import { inOrder } from './test/helpers/in-order.ts';

const common = {
  ...{ isolate: false, testTimeout: 600_000, hookTimeout: 60_000 },
  expect: { poll: { timeout: 10_000 } },
};
const quiet = { maxWorkers: 6, sequence: { groupOrder: 1 } };
const sideBySide = { maxWorkers: 6, sequence: { groupOrder: 2 } };

/**
 * The headless shell is supported, too: what a browser has a part in runs in it as well. All stories once more would take
 * twice the time.
 */
const inHeadlessShell = { ...common, env: { CHAT_WEB_HEADLESS_SHELL: 'true' } };
const forHeadlessShell = hasHeadlessShell()
  ? [
      {
        test: {
          ...{ ...inHeadlessShell, ...quiet },
          name: 'headless shell, quiet',
          include: ['test/faults/quiet/detection.test.ts'],
        },
      },
      {
        test: {
          ...{ ...inHeadlessShell, ...sideBySide },
          name: 'headless shell, side by side',
          include: [
            'test/{api-media,lifecycle,link,messages}.test.ts',
            'test/faults/{frozen-page,graceful-stop,headless-shell,lifecycle,page-crash}.test.ts',
          ],
        },
      },
    ]
  : [];
if (forHeadlessShell.length === 0)
  console.warn('Stories in the headless shell are skipped: chromium-headless-shell is not installed.');

function hasHeadlessShell(): boolean {
  try {
    return findBrowser({ headlessShell: true, env: process.env }).endsWith('-headless-shell');
  } catch {
    return false; // There is no browser at all: each story says so.
  }
}

/**
 * The stories in the order in which they begin: what takes longest goes first, so that nothing is waited for alone at
 * the end. Those that load the machine take turns beside those that do little but wait.
 */
const ORDER = [
  ...['code-renewals', 'slow-accounts', 'crash-loop', 'conflict', 'busy-is-not-dead', 'gateway-killed', 'detection'],
  ...['locks', 'one-session-cannot-hurt-another', 'sweep', 'memory', 'start-cannot-hang', 'watchdog'],
  ...['own-computer', 'qr', 'doctor-findings', 'slow-callers', 'slow-look-ups', 'pairing-code', 'pacing'],
  'resumed-streams', // It loads the machine: last, when most of those that measure have ended.
  ...['missing-modules', 'doctor', 'hostile-worker', 'moves', 'ready-is-never-missed'],
  ...['navigation-storms', 'keyed-sends', 'builds', 'service-under-systemd'],
  ...['console-try', 'listener', 'missed-account-events', 'frozen-page', 'move-tool', 'graceful-stop', 'console-keys'],
  ...['moved-sessions', 'large-media', 'console-webhooks', 'caught-up', 'console-sessions', 'phones-page'],
  ...['examples-without-client', 'installed-service', 'console-host', 'frozen-sends', 'hostile-bodies'],
  ...['console-events', 'isolation', 'listening', 'inbox', 'page-builds', 'lifecycle', 'streams', 'page-passkey'],
  'page-keys',
];

/** Faults for real, and at their real pace: most of the time is spent waiting, so that stories run side by side. */
export default defineConfig({
  test: {
    sequence: { sequencer: inOrder(ORDER) },
    globalSetup: 'test/helpers/fresh-bundle.ts',
    projects: [
      {
        test: {
          ...common,
          // Measures how soon the gateway answers, on a host that has only this to do.
          name: 'alone',
          include: ['test/faults/alone/*.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          // Some of these load the machine, or measure what a loaded one spoils; the others mostly wait, and leave it to them.
          name: 'quiet',
          include: ['test/faults/quiet/*.test.ts'],
          ...quiet,
        },
      },
      {
        test: {
          ...common,
          name: 'side by side',
          include: ['test/faults/*.test.ts', 'packages/simulator/src/page-*.test.ts'],
          exclude: ['test/faults/headless-shell.test.ts'],
          ...sideBySide,
        },
      },
      ...forHeadlessShell,
    ],
  },
});
