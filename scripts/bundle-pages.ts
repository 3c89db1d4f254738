import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { RolldownOutput } from 'rolldown';
import { bundle } from './bundle.ts';
import { writeLicences } from './licences.ts';

/**
 * Builds the static files of the console and the reference, and the script of the simulator's phones page, from the
 * compiler's output. Static files are also compressed, and scripts and styles have content hashes in their names.
 */

const PACKAGE = fileURLToPath(new URL('../../packages/console/', import.meta.url));
const STATIC = join(PACKAGE, 'dist', 'static');
const SOURCE = join(PACKAGE, 'src');
const SWAGGER = fileURLToPath(new URL('.', import.meta.resolve('swagger-ui-dist/package.json')));
const SIMULATOR = fileURLToPath(new URL('../../packages/simulator/dist/', import.meta.url));
const HASH_LENGTH = 10;
const COMPRESSION = {
  '.br': (bytes: string) =>
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
  '.gz': (bytes: string) => gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }),
};

const icon = readFileSync(join(SOURCE, 'icon.svg'), 'utf8');
const operators = await bundleForPage(join(PACKAGE, 'dist', 'main.js'));
makePages('console', join(SOURCE, 'index.html'), {
  'icon.svg': icon,
  'console.js': operators.output[0].code,
  // The styles of views follow the shared ones.
  'style.css': ['shared', 'views'].map((folder) => joined(join(SOURCE, 'style', folder))).join('\n'),
});
writeLicences(join(STATIC, 'console'), [operators]);
const reference = await bundleForPage(join(PACKAGE, 'dist', 'reference', 'main.js'));
makePages('reference', join(SOURCE, 'reference', 'index.html'), {
  'icon.svg': icon,
  'reference.js': reference.output[0].code,
  'style.css': readFileSync(join(SOURCE, 'reference', 'style.css'), 'utf8'),
  'swagger-ui.js': readFileSync(join(SWAGGER, 'swagger-ui-bundle.js'), 'utf8').replace(
    /\n\/\/# sourceMappingURL=.*/,
    '',
  ),
  'swagger-ui.css': readFileSync(join(SWAGGER, 'swagger-ui.css'), 'utf8').replace(/\n\/\*# sourceMappingURL=.*/, ''),
});
writeLicences(join(STATIC, 'reference'), [reference], [SWAGGER]);
const phones = await bundleForPage(join(SIMULATOR, 'phones-page', 'main.js'));
writeFileSync(join(SIMULATOR, 'phones.js'), phones.output[0].code);
writeLicences(SIMULATOR, [phones]);

/** Bundles a compiled entry and its imports into one script for browsers. */
function bundleForPage(input: string): Promise<RolldownOutput> {
  return bundle({ input, platform: 'browser' }, { format: 'esm', minify: true, codeSplitting: false });
}

/** Writes a folder with a page, and the files that it references. */
function makePages(folder: string, page: string, files: Readonly<Record<string, string>>): void {
  const dir = join(STATIC, folder);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  let html = readFileSync(page, 'utf8');
  for (const [name, text] of Object.entries(files)) {
    const named = nameOf(name, text);
    const isScript = extname(name) === '.js';
    html = html.replaceAll(`"${name}"`, isScript ? `"${named}" integrity="${integrityOf(text)}"` : `"${named}"`);
    store(join(dir, named), text);
  }
  store(join(dir, 'index.html'), html);
}

/** A name that changes with the content: browsers cache such a file forever. */
function nameOf(name: string, text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
  const ending = extname(name);
  return `${basename(name, ending)}-${hash}${ending}`;
}

/** A page's policy allows its scripts by these hashes. */
function integrityOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function store(file: string, text: string): void {
  writeFileSync(file, text);
  for (const [ending, compressed] of Object.entries(COMPRESSION)) writeFileSync(file + ending, compressed(text));
}

function joined(folder: string): string {
  const names = readdirSync(folder).sort();
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}
