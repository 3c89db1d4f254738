import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Each bundle, with its script and its compiled inputs. */
const BUNDLES = [
  {
    script: 'scripts/dist/bundle-programs.js',
    compiled: ['packages/protocol/dist', 'packages/outbound/dist', 'packages/gateway/dist'],
    bundle: 'packages/gateway/dist/bundle',
  },
  {
    script: 'scripts/dist/bundle-programs.js',
    compiled: ['packages/protocol/dist', 'packages/outbound/dist', 'packages/worker/dist'],
    bundle: 'packages/worker/dist/bundle',
  },
  {
    script: 'scripts/dist/bundle-pages.js',
    compiled: ['packages/console/dist', 'packages/console/src'],
    bundle: 'packages/console/dist/static',
  },
  {
    script: 'scripts/dist/bundle-pages.js',
    compiled: ['packages/simulator/dist/phones-page'],
    bundle: 'packages/simulator/dist/phones-page/bundle.js',
  },
];

/** Rebuilds each bundle whose inputs were compiled since, which `tsc -b` does not do. Runs before all tests. */
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
