/**
 * A gateway that stops, as at SIGTERM, when its stdin ends: when the process that started it closes it, or is gone.
 * Signals of a terminal do not reach it, and a process that is killed sends none.
 */

process.stdin.on('error', () => {}); // It is closed then.
process.stdin.once('close', () => {
  if (process.listenerCount('SIGTERM') === 0) process.exit(1); // It is still starting.
  process.emit('SIGTERM', 'SIGTERM');
});
process.stdin.resume();
await import(import.meta.resolve('@chat-web/gateway/main'));

export {};
