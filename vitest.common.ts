/** What the tiers have in common. */
export const common = {
  setupFiles: 'test/after-each.ts',
  // Node itself loads what is built: faster than through Vite.
  server: { deps: { external: [/\/(packages\/[^/]+|scripts)\/dist\//] } },
  // A process for each file would spend a good part of the time on loading the same modules again.
  isolate: false,
  hookTimeout: 300_000,
  // No wait of a test ends by its timeout on a busy machine.
  expect: { poll: { timeout: 60_000 } },
};
