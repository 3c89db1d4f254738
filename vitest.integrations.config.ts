import { defineConfig } from 'vitest/config';

/** With programs of others, which `test/integrations/install` installs. */
export default defineConfig({
  test: {
    include: ['test/integrations/*.test.ts'],
    env: { CHAT_WEB_HEADLESS_SHELL: 'true' },
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
