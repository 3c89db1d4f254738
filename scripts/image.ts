import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `npm run image`: builds the image from `build/chat-web`, with the first engine that is installed. Further arguments are
 * passed to the engine, such as `-- --build-arg BASE=docker.io/library/debian@sha256:<digest>`. `-- --engine docker`
 * chooses the engine, whose store has the image then.
 */

const ENGINES = ['podman', 'docker', 'buildah'];
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONTEXT = join(ROOT, 'build', 'chat-web');

const others = process.argv.slice(2);
const wanted = others[0] === '--engine' ? others.splice(0, 2).slice(1) : ENGINES;
if (!ENGINES.includes(wanted[0] ?? '')) fail(`--engine must be one of ${ENGINES.join(', ')}`);
const engine = wanted.find((name) => spawnSync(name, ['--version']).status === 0);
if (!engine) fail(`not installed: ${wanted.join(', ')}`);
if (!existsSync(CONTEXT)) fail('there is no build/chat-web: run "npm run artefact" first');
const { name, version } = JSON.parse(readFileSync(join(CONTEXT, 'package.json'), 'utf8'));
const revision = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).stdout?.trim();
const args = ['build', '--file', join(ROOT, 'deploy', 'oci', 'Containerfile'), '--tag', `${name}:${version}`];
args.push('--tag', `${name}:latest`);
args.push('--build-arg', `VERSION=${version}`, '--build-arg', `REVISION=${revision || 'unknown'}`);
if (engine !== 'docker') args.push('--format', 'docker'); // Other formats have no health check.
const { status } = spawnSync(engine, [...args, ...others, CONTEXT], {
  stdio: 'inherit',
});
process.exit(status ?? 1);

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
