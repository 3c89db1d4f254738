import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What is bundled by which script, from what was compiled. */
const BUNDLES = [
  {
    script: 'scripts/dist/bundle-worker.js',
    compiled: ['packages/protocol/dist', 'packages/worker/dist'],
    bundle: 'packages/worker/dist/bundle',
  },
  {
    script: 'scripts/dist/bundle-console.js',
    compiled: ['packages/console/dist', 'packages/console/src'],
    bundle: 'packages/console/dist/static',
  },
  {
    script: 'scripts/dist/bundle-phones.js',
    compiled: ['packages/simulator/dist/phones-page'],
    bundle: 'packages/simulator/dist/phones-page/bundle.js',
  },
];

/** Makes each bundle anew if what it is made of was compiled since: `tsc -b` alone does not. Before all tests. */
export function setup(): void {
  for (const { script, compiled, bundle } of BUNDLES) {
    const files = [...compiled, script].flatMap((path) => filesIn(join(ROOT, path)));
    const isBundled = (path: string) => path.startsWith(join(ROOT, bundle));
    const newest = (all: readonly string[]) => Math.max(0, ...all.map((path) => statSync(path).mtimeMs));
    if (newest(files.filter(isBundled)) > newest(files.filter((path) => !isBundled(path)))) continue;
    const { status } = spawnSync(process.execPath, [join(ROOT, script)], { stdio: 'inherit' });
    if (status !== 0) throw new Error(`${bundle} could not be made`);
  }
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
