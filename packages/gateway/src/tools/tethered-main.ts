/**
 * A gateway that stops, as on SIGTERM, when its stdin ends: when its parent process closes it, or is gone. Terminal
 * signals do not reach it, and a killed process sends none.
 */

process.stdin.on('error', () => {}); // It is closed then.
process.stdin.once('close', () => {
  if (process.listenerCount('SIGTERM') === 0) process.exit(1); // It is still starting.
  process.emit('SIGTERM', 'SIGTERM');
});
process.stdin.resume();
await import('../main.ts');
