import { fileURLToPath } from 'node:url';

/** The entry point of the worker process. */
export const WORKER_FILE = fileURLToPath(import.meta.resolve('@chat-web/worker/main'));
