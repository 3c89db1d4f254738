import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

/**
 * `npm run deb`: makes a Debian package of `build/chat-web` and the Node that runs this script, in `build/` in place of
 * older ones, or in another folder (`--to`), and prints its path. The worker's code cache was compiled by the same Node.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BUILD = join(ROOT, 'build');
const TREE = join(BUILD, 'deb');
const DEBIAN = join(ROOT, 'deploy', 'deb');
const SYSTEMD = join(ROOT, 'deploy', 'systemd');
const PROGRAM = 'usr/lib/chat-web';
const DOCS = 'usr/share/doc/chat-web';
const KB = 1_024;
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

const architecture = ARCHITECTURES[process.arch];
if (!architecture) throw new Error(`there is no package for ${process.arch}`);
// Debian's Node does; the types do not have the variable.
if (Object.entries(process.config.variables).some(([name, value]) => name === 'node_shared' && value))
  throw new Error('this Node needs shared libraries of its distribution: build with a Node from nodejs.org');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
const { values } = parseArgs({ options: { version: { type: 'string' }, to: { type: 'string' } } });
const { version = manifest.version, to } = values;

process.umask(0o022);

rmSync(TREE, { recursive: true, force: true });
cpSync(join(BUILD, 'chat-web'), at(PROGRAM), { recursive: true });
rmSync(at(`${PROGRAM}/deploy/oci`), { recursive: true });
run('chmod', ['-R', 'a+rX,go-w', TREE]); // It was built with another umask, perhaps.
copy(process.execPath, `${PROGRAM}/node`, 0o755);
run('strip', ['--strip-unneeded', '--remove-section=.comment', at(`${PROGRAM}/node`)]);
write('usr/bin/chat-web', `#!/bin/sh\nexec /${PROGRAM}/node /${PROGRAM}/bin/chat-web.js "$@"\n`, 0o755);
copy(join(SYSTEMD, 'chat-web.service'), 'usr/lib/systemd/system/chat-web.service');
copy(join(SYSTEMD, 'chat-web.sysusers.conf'), 'usr/lib/sysusers.d/chat-web.conf');
copy(join(SYSTEMD, 'chat-web.tmpfiles.conf'), 'usr/lib/tmpfiles.d/chat-web.conf');
copy(join(SYSTEMD, 'gateway.env'), 'etc/chat-web/gateway.env', 0o600);
copy(join(SYSTEMD, 'reload.env'), 'etc/chat-web/reload.env');
copy(join(DEBIAN, 'copyright'), `${DOCS}/copyright`);
copy(join(DEBIAN, 'lintian-overrides'), 'usr/share/lintian/overrides/chat-web');
write(`${DOCS}/changelog.gz`, gzipSync(changelog(), { level: 9 }));

copy(join(DEBIAN, 'conffiles'), 'DEBIAN/conffiles');
copy(join(DEBIAN, 'templates'), 'DEBIAN/templates');
for (const script of ['postinst', 'prerm', 'postrm']) copy(join(DEBIAN, script), `DEBIAN/${script}`, 0o755);
const installedKb = Math.ceil(sizeOf(TREE) / KB);
const fields: Readonly<Record<string, string>> = { version, architecture, installedKb: String(installedKb) };
write(
  'DEBIAN/control',
  readFileSync(join(DEBIAN, 'control'), 'utf8').replace(/\$\{(\w+)\}/g, (_, name) => fields[name] ?? ''),
);
const sums = run('sh', ['-c', 'find etc usr -type f -print0 | sort -z | xargs -0 md5sum'], TREE);
write(
  'DEBIAN/md5sums',
  sums
    .split('\n')
    .filter((line) => !line.includes('  etc/'))
    .join('\n'),
);

if (to === undefined)
  for (const name of readdirSync(BUILD)) if (/^chat-web_.*\.deb$/.test(name)) rmSync(join(BUILD, name));
const file = join(to ?? BUILD, `chat-web_${version}_${architecture}.deb`);
run('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', TREE, file]);
rmSync(TREE, { recursive: true });
process.stdout.write(`${file}\n`);

function at(path: string): string {
  return join(TREE, path);
}

function copy(from: string, to: string, mode = 0o644): void {
  write(to, readFileSync(from), mode);
}

function write(path: string, content: string | Uint8Array, mode = 0o644): void {
  mkdirSync(join(at(path), '..'), { recursive: true, mode: 0o755 });
  writeFileSync(at(path), content);
  chmodSync(at(path), mode);
}

function run(command: string, args: readonly string[], cwd = ROOT): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
  return stdout;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, { size }) => sum + size, 0);
}

/** Debian's format; what has changed is in CHANGELOG.md. */
function changelog(): string {
  const time = new Date(Number(run('git', ['log', '-1', '--format=%ct'])) * 1_000)
    .toUTCString()
    .replace('GMT', '+0000');
  const maintainer = /^Maintainer: (.*)$/m.exec(readFileSync(join(DEBIAN, 'control'), 'utf8'))?.[1];
  return `chat-web (${version}) stable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- ${maintainer}  ${time}\n`;
}
