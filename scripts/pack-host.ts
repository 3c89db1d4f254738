import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/**
 * `npm run pack:host`: builds the tarball of @chat-web/host from the compiler's output. The package includes the
 * protocol, and needs nothing else from this repository.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HOST = join(ROOT, 'packages/host');
const PROTOCOL = '@chat-web/protocol';
/** Where the protocol is in the package. */
const PROTOCOL_DIR = 'protocol';
/** Imports of files in the package. */
const IMPORTS = /(?:from |import\(|import )['"](\.\.?\/[^'"]+)['"]/g;

interface Manifest {
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

const own = JSON.parse(readFileSync(join(HOST, 'package.json'), 'utf8')) as Manifest;
const { values } = parseArgs({
  options: { out: { type: 'string', default: '.' }, help: { type: 'boolean', short: 'h' } },
});
if (values.help) {
  console.log('npm run pack:host [-- --out <folder>]   writes chat-web-host-<version>.tgz there');
  process.exit(0);
}
const dir = mkdtempSync(join(tmpdir(), 'chat-web-package-'));
try {
  await copyReached(Object.values(own.exports).flatMap((entry) => Object.values(entry)));
  await cp(join(HOST, 'README.md'), join(dir, 'README.md'));
  await writeFile(join(dir, 'package.json'), manifest());
  await mkdir(values.out, { recursive: true });
  const packed = execFileSync('npm', ['pack', dir, '--pack-destination', values.out, '--json', '--silent'], {
    encoding: 'utf8',
  });
  const [{ filename, size }] = JSON.parse(packed) as [{ readonly filename: string; readonly size: number }];
  console.log(`${join(values.out, filename)}  ${Math.round(size / 1_024)} KB`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

/**
 * Copies the files that the entries import, with imports adjusted to the package: `dist` may contain files of deleted
 * sources.
 */
async function copyReached(entries: readonly string[]): Promise<void> {
  const reached = new Set(entries.map((entry) => relative('dist', entry)));
  for (const name of reached) {
    const text = asPackaged(await readFile(compiled(name), 'utf8'), name);
    await mkdir(dirname(join(dir, 'dist', name)), { recursive: true });
    await writeFile(join(dir, 'dist', name), text);
    for (const [, specifier = ''] of text.matchAll(IMPORTS))
      reached.add(join(dirname(name), name.endsWith('.js') ? specifier : specifier.replace(/\.js$/, '.d.ts')));
  }
}

/** The compiler's output for a file of the package. */
function compiled(name: string): string {
  const inProtocol = relative(PROTOCOL_DIR, name);
  return inProtocol.startsWith('..') ? join(HOST, 'dist', name) : join(ROOT, 'packages/protocol/dist', inProtocol);
}

function asPackaged(text: string, name: string): string {
  const protocol = relative(dirname(name), join(PROTOCOL_DIR, 'index.js')).split(sep).join('/');
  const specifier = protocol.startsWith('.') ? protocol : `./${protocol}`;
  return text
    .replaceAll(/(from |import\()(['"])@chat-web\/protocol\2/g, `$1$2${specifier}$2`)
    .replaceAll(/(from |import\()(['"])(\.\.?\/[^'"]+)\.ts\2/g, '$1$2$3.js$2')
    .replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
}

function manifest(): string {
  const { devDependencies: _, scripts: __, ...rest } = own;
  const { [PROTOCOL]: ___, ...dependencies } = own.dependencies;
  return `${JSON.stringify({ ...rest, dependencies }, null, 2)}\n`;
}
