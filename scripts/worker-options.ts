import type { WorkerOptions } from '@chat-web/protocol';

/** For a worker that launches no browser and looks at none of it. */
export const emptyWorkerOptions: WorkerOptions = {
  ...{ sessionId: 'main', sessionDir: '/nowhere', headlessShell: false, browserArgs: [], spoolDir: '/nowhere' },
  ...{ spoolMaxBytes: 1, heardUntil: 0, pagesDir: '/nowhere', linkedAt: 0, wasMute: false },
  silenceTimeoutMs: 300_000,
  fetchLimits: { allowedHosts: [], maxBytes: 1, timeoutMs: 1 },
};
