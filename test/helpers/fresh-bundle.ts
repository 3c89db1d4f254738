import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COMPILED = ['packages/protocol/dist', 'packages/worker/dist', 'scripts/dist/bundle-worker.js'];
const BUNDLE = 'packages/worker/dist/bundle';

/** Makes the worker's bundle anew if what it is made of was compiled since: `tsc -b` alone does not. Before all tests. */
export function setup(): void {
  const files = COMPILED.flatMap((path) => filesIn(join(ROOT, path)));
  const isBundled = (path: string) => path.startsWith(join(ROOT, BUNDLE));
  const newest = (all: readonly string[]) => Math.max(0, ...all.map((path) => statSync(path).mtimeMs));
  if (newest(files.filter(isBundled)) > newest(files.filter((path) => !isBundled(path)))) return;
  const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts/dist/bundle-worker.js')], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the worker could not be bundled');
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
