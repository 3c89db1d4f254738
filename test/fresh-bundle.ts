import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Each script, its compiled inputs, and the bundles that it makes. */
const SCRIPTS = [
  {
    script: 'scripts/dist/bundle-programs.js',
    compiled: ['protocol/dist', 'outbound/dist', 'gateway/dist', 'worker/dist'],
    bundles: ['gateway/dist/bundle', 'worker/dist/bundle'],
  },
  {
    script: 'scripts/dist/bundle-pages.js',
    compiled: ['protocol/dist', 'host/dist', 'console/dist', 'console/src', 'simulator/dist/phones-page'],
    bundles: ['console/dist/static', 'simulator/dist/phones.js'],
  },
];

/** Runs each script whose inputs were compiled since, which `tsc -b` does not do. Runs before all tests. */
export function setup(): void {
  for (const { script, compiled, bundles } of SCRIPTS) {
    const inPackages = (paths: readonly string[]) => paths.map((path) => join(ROOT, 'packages', path));
    const made = inPackages(bundles);
    const isMade = (path: string) => made.some((bundle) => path.startsWith(bundle));
    const inputs = [join(ROOT, script), ...inPackages(compiled)].flatMap(filesIn).filter((path) => !isMade(path));
    const timesOf = (paths: readonly string[]) => paths.map((path) => statSync(path).mtimeMs);
    const oldest = Math.min(...made.map((bundle) => Math.max(0, ...timesOf(filesIn(bundle)))));
    if (oldest > Math.max(...timesOf(inputs))) continue;
    const { status } = spawnSync(process.execPath, [join(ROOT, script)], { stdio: 'inherit' });
    if (status !== 0) throw new Error(`${bundles.join(' and ')} could not be made`);
  }
}

function filesIn(path: string): string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return stats ? [path] : [];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
