import { fileURLToPath } from 'node:url';

/** The file that a worker runs. */
export const WORKER_FILE = fileURLToPath(import.meta.resolve('@chat-web/worker/main'));
