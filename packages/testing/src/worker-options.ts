import type { WorkerOptions } from '@chat-web/protocol';

/** Options for a worker that never starts a session. */
export const emptyWorkerOptions: WorkerOptions = {
  sessionId: 'main',
  sessionDir: '/nowhere',
  headlessShell: false,
  browserWindow: false,
  browserArgs: [],
  spoolDir: '/nowhere',
  uploadsDir: '/nowhere',
  spoolMaxBytes: 1,
  deliveredUntil: 0,
  withoutContent: [],
  openAcks: [],
  pagesDir: '/nowhere',
  linkedAt: 0,
  wasMute: false,
  silenceTimeoutMs: 300_000,
  fetchLimits: { allowedHosts: [], maxBytes: 1, timeoutMs: 1, userAgent: 'chat-web/0' },
};
