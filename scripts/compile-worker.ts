import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LEAN_FLAGS } from '@chat-web/gateway/tools';
import { cacheOf, readProgram } from '@chat-web/worker/load-program';

/** Writes the code cache of the worker, whose file is the argument, for this Node. */

const [path = ''] = process.argv.slice(2);
if (process.execArgv.length > 0) {
  const program = readProgram(path);
  program.run();
  writeFileSync(cacheOf(path), program.cache());
} else {
  // With the flags of a worker: V8 rejects a code cache that was created with other flags.
  const args = [...LEAN_FLAGS, fileURLToPath(import.meta.url), path];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}
