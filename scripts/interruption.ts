import { closeSync } from 'node:fs';

/**
 * Aborts when the user ends the command: by Ctrl+C, by a SIGTERM, or by closing the terminal. The command then
 * continues to its end: output to a closed terminal is lost.
 */
export function interruption(): AbortController {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort());
  let isClosed = false;
  const closed = () => {
    if (!isClosed) process.once('exit', leaveTerminal);
    isClosed = true; // Every further line causes another error of the stream.
  };
  process.once('SIGHUP', closed);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', closed);
  return interrupted;
}

/** Node restores the terminal when it exits, and aborts if it is closed. */
function leaveTerminal(): void {
  for (const fd of [0, 1, 2]) {
    try {
      closeSync(fd);
    } catch {
      // It is closed already.
    }
  }
}
