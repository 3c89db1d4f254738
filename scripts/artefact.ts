import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleForNode } from './bundle.ts';
import { LICENCES_FILE, mergeLicences, writeLicences } from './licences.ts';

/**
 * `npm run artefact`: makes `build/chat-web`, the folder that each kind of installation contains, as it is: the gateway,
 * its workers, pages and tools, the simulator, and their licences. It needs only Node: there is no `node_modules`. The
 * argument names another folder, which must be new.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const [folder] = process.argv.slice(2);
const ARTEFACT = resolve(folder ?? join(ROOT, 'build', 'chat-web'));
const TOOLS = join(ROOT, 'scripts', 'dist');
const SIMULATOR = join(ROOT, 'packages', 'simulator');

/** What is copied, by its name there. Code names these files by `#<name>`. */
const COPIES = {
  gateway: 'packages/gateway/dist/bundle',
  worker: 'packages/worker/dist/bundle',
  console: 'packages/console/dist/static/console',
  reference: 'packages/console/dist/static/reference',
  'simulator/page': 'packages/simulator/dist/page',
  'simulator/phones': 'packages/simulator/public',
  'simulator/phones/phones.js': 'packages/simulator/dist/phones.js',
  'doctor/samples': 'scripts/doctor/samples',
  sql: 'packages/gateway/sql',
  'deploy/monitoring': 'deploy/monitoring',
  'deploy/systemd': 'deploy/systemd',
  'deploy/oci/health.js': 'deploy/oci/health.js',
  'README.md': 'deploy/npm/README.md',
  LICENSE: 'LICENSE',
  NOTICE: 'NOTICE',
};

if (folder === undefined) rmSync(ARTEFACT, { recursive: true, force: true });
mkdirSync(ARTEFACT, { recursive: true });
for (const [name, source] of Object.entries(COPIES))
  cpSync(join(ROOT, source), join(ARTEFACT, name), { recursive: true, filter: isNeeded });

const tools = await bundleForNode(
  {
    input: {
      'chat-web': join(TOOLS, 'chat-web.js'),
      cluster: join(TOOLS, 'cluster.js'),
      'compile-worker': join(TOOLS, 'compile-worker.js'),
      doctor: join(TOOLS, 'doctor', 'main.js'),
      journal: join(TOOLS, 'journal.js'),
      link: join(TOOLS, 'link', 'main.js'),
      move: join(TOOLS, 'move', 'main.js'),
      simulator: join(SIMULATOR, 'dist', 'main.js'),
      token: join(TOOLS, 'token.js'),
    },
  },
  {
    dir: ARTEFACT,
    format: 'esm',
    entryFileNames: ({ name }) => (name === 'chat-web' ? 'bin/chat-web.js' : 'tools/[name].js'),
    chunkFileNames: 'tools/[name].js',
  },
);
writeLicences(join(ARTEFACT, 'tools'), [tools]);

chmodSync(join(ARTEFACT, 'bin', 'chat-web.js'), 0o755);
const bundles = [COPIES.gateway, COPIES.worker, COPIES.console, COPIES.reference, 'packages/simulator/dist'];
mergeLicences(ARTEFACT, [...bundles.map((name) => join(ROOT, name)), join(ARTEFACT, 'tools')]);
rmSync(join(ARTEFACT, 'tools', LICENCES_FILE));

const { version, description, license, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const manifest = {
  name: 'chat-web',
  version,
  description,
  license,
  type: 'module',
  engines,
  bin: { 'chat-web': 'bin/chat-web.js' },
  imports: { '#*': './*' },
};
writeFileSync(join(ARTEFACT, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);

/** Not types, source maps and build information; and the licences are merged. */
function isNeeded(path: string): boolean {
  return !['.map', '.ts', '.tsbuildinfo'].includes(extname(path)) && basename(path) !== LICENCES_FILE;
}
