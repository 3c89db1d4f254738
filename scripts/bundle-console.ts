import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

/** Makes the console's static files from what the compiler has made: each also compressed, scripts and styles named by their content. */

const PACKAGE = fileURLToPath(new URL('../../packages/console/', import.meta.url));
const SOURCE = join(PACKAGE, 'src');
const PAGES = join(PACKAGE, 'dist', 'pages');
const HASH_LENGTH = 10;
const COMPRESSED = ['.html', '.js', '.css', '.svg', '.json'];

rmSync(PAGES, { recursive: true, force: true });
mkdirSync(PAGES, { recursive: true });

const script = await bundled();
const style = readdirSync(join(SOURCE, 'style'))
  .sort()
  .map((name) => readFileSync(join(SOURCE, 'style', name), 'utf8'))
  .join('\n');
const html = readFileSync(join(SOURCE, 'index.html'), 'utf8')
  .replace('console.js', write('console', '.js', script))
  .replace('style.css', write('style', '.css', style));
store('index.html', html);
store('icon.svg', readFileSync(join(SOURCE, 'icon.svg'), 'utf8'));

async function bundled(): Promise<string> {
  const bundle = await rolldown({
    input: join(PACKAGE, 'dist', 'main.js'),
    platform: 'browser',
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(`${log.code}: ${log.message}`);
    },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

/** Stores a file under a name that is another one whenever its content is: browsers keep it for good. */
function write(name: string, ending: string, text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
  const file = `${name}-${hash}${ending}`;
  store(file, text);
  return file;
}

function store(file: string, text: string): void {
  writeFileSync(join(PAGES, file), text);
  if (!COMPRESSED.includes(extname(file))) return;
  const level = constants.BROTLI_MAX_QUALITY;
  writeFileSync(
    join(PAGES, `${file}.br`),
    brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: level } }),
  );
  writeFileSync(join(PAGES, `${file}.gz`), gzipSync(text, { level: constants.Z_BEST_COMPRESSION }));
}
