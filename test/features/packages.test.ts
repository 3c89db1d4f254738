import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startSimulator } from '@chat-web/simulator';
import { eventually, untilEnded } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { findBrowser } from '@chat-web/worker/browser';
import { beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
/** The errors of npm if a package is neither in its cache nor available. */
const UNREACHABLE = /\b(ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT)\b/;
const WHY_NOT = "npm's cache lacks packages, and its registry cannot be reached";
const KB = 1_024;

/** The most that the archive of each package may have, with room for some growth. */
const MAX_BYTES: Readonly<Record<string, number>> = {
  '@chat-web/host': 170 * KB,
  '@chat-web/protocol': 380 * KB,
  '@chat-web/simulator': 650 * KB,
  'chat-web': 4_096 * KB,
};

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

interface Manifest {
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly private?: boolean;
}

/** A project with nothing but the packages, and whatsapp-web.js. */
const project = sharedFolder();
let archives: readonly Packed[] = [];
let isInstalled = false;

beforeAll(async () => {
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  await run(process.execPath, [join(ROOT, 'scripts/dist/artefact.js'), join(project, 'artefact')]);
  const workspaces = ['protocol', 'host', 'simulator'].flatMap((name) => ['-w', `@chat-web/${name}`]);
  archives = [...(await pack(workspaces)), ...(await pack([join(project, 'artefact')]))];
  const others = ['whatsapp-web.js', 'hono', '@types/node'].map(versioned);
  const args = ['install', ...archives.map(({ filename }) => `./${filename}`), ...(await Promise.all(others))];
  try {
    await run('npm', [...args, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: project });
    isInstalled = true;
  } catch (error) {
    if (!UNREACHABLE.test(String(error))) throw error;
    console.log(`not tried: what the packages do in a project: ${WHY_NOT}`);
  }
});

async function pack(args: readonly string[]): Promise<Packed[]> {
  const all = ['pack', ...args, '--pack-destination', project, '--json', '--silent'];
  return JSON.parse((await run('npm', all, { cwd: ROOT })).stdout);
}

/** The version that the checkout has, which npm has in its cache. */
async function versioned(name: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'));
  return `${name}@${version}`;
}

async function manifestOf(name: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(project, 'node_modules', name, 'package.json'), 'utf8'));
}

/** What programs write in an import to get each export of a package. */
async function entriesOf(name: string): Promise<string[]> {
  return Object.keys((await manifestOf(name)).exports ?? {}).map((entry) => entry.replace('.', name));
}

/** The first block of code of a page in this language. */
async function codeOf(page: string, language: string): Promise<string> {
  return new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(await readFile(page, 'utf8'))?.[1] ?? '';
}

describe('each package', () => {
  it.each(Object.keys(MAX_BYTES))('%s is small, has its licence, and no tests', (name) => {
    const archive = archives.find((one) => one.name === name);
    const paths = archive?.files.map(({ path }) => path) ?? [];
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'NOTICE', 'README.md', 'package.json']));
    expect(paths.filter((path) => /\.test\.|(^|\/)(testing|test|node_modules)\/|tsbuildinfo/.test(path))).toEqual([]);
    expect(archive?.size).toBeLessThan(MAX_BYTES[name] ?? 0);
    expect(archive?.size).toBeGreaterThan(10 * KB);
  });

  it.for(Object.keys(MAX_BYTES))('%s runs no install script', async (name, { skip }) => {
    skip(!isInstalled, WHY_NOT);
    const { scripts = {}, private: isPrivate } = await manifestOf(name);
    expect(isPrivate).toBe(undefined);
    expect(Object.keys(scripts).filter((script) => /install|^prepare$/.test(script))).toEqual([]);
  });

  it.for(['@chat-web/host', '@chat-web/protocol', '@chat-web/simulator'])(
    '%s can be imported and required, each export of it',
    async (name, { skip }) => {
      skip(!isInstalled, WHY_NOT);
      for (const entry of (await entriesOf(name)).filter((one) => !one.endsWith('/main'))) {
        const count = 'console.log(Object.keys(all).length)';
        const ways = [`const all = await import('${entry}'); ${count}`, `const all = require('${entry}'); ${count}`];
        for (const [n, program] of ways.entries()) {
          const type = `--input-type=${n === 0 ? 'module' : 'commonjs'}`;
          const { stdout } = await run(process.execPath, [type, '-e', program], { cwd: project });
          expect([entry, Number(stdout) > 0]).toEqual([entry, true]);
        }
      }
    },
  );

  it.for(['nodenext', 'bundler'])(
    'has types that compile (%s), and so do the READMEs',
    async (resolution, { skip }) => {
      skip(!isInstalled, WHY_NOT);
      const names = ['@chat-web/host', '@chat-web/protocol', '@chat-web/simulator'];
      const entries = (await Promise.all(names.map(entriesOf))).flat();
      const files = ['entries.ts', 'host.ts', 'protocol.ts'];
      const text = entries.map((entry, n) => `import * as all${n} from '${entry}';\nconsole.log(all${n});`).join('\n');
      await writeFile(join(project, 'entries.ts'), text);
      await writeFile(join(project, 'assumed.d.ts'), 'declare const text: string;');
      for (const name of ['host', 'protocol'])
        await writeFile(join(project, `${name}.ts`), await codeOf(join(ROOT, `packages/${name}/README.md`), 'ts'));
      const module = resolution === 'bundler' ? 'esnext' : 'nodenext';
      const lib = ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'];
      const common = { strict: true, noEmit: true, skipLibCheck: false, target: 'es2024', types: ['node'] };
      const compilerOptions = { ...common, module, moduleResolution: resolution, lib };
      await writeFile(
        join(project, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, files: [...files, 'assumed.d.ts'] }),
      );
      const { stdout } = await run(process.execPath, [TSC, '-p', project]).catch((error) => error);
      expect(stdout).toBe('');
    },
  );
});

it('the example of the simulator runs with whatsapp-web.js alone', async ({ skip }) => {
  skip(!isInstalled, WHY_NOT);
  await writeFile(join(project, 'bot.test.js'), await codeOf(join(ROOT, 'packages/simulator/README.md'), 'js'));
  // The tests may run as root.
  const browser = join(project, 'browser.sh');
  await writeFile(browser, `#!/bin/sh\nexec '${findBrowser({ env: process.env })}' --no-sandbox "$@"\n`);
  await chmod(browser, 0o755);
  const env = { ...process.env, PUPPETEER_EXECUTABLE_PATH: browser };
  const { stdout } = await run(process.execPath, ['--test', 'bot.test.js'], { cwd: project, env }).catch(
    (error) => error,
  );
  expect(stdout).toMatch(/^. pass 1$/m);
});

it('npx runs the archive of chat-web, which shows a QR', async () => {
  const folder = join(project, 'empty');
  await mkdir(folder);
  const { filename } = archives.find(({ name }) => name === 'chat-web') ?? {};
  const simulator = await startSimulator();
  const { PATH, HOME } = process.env;
  const child = spawn('npx', ['--yes', '--offline', `--package=${join(project, filename ?? '')}`, 'chat-web'], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Without the settings of the npm that runs the tests.
    env: { PATH, HOME, CHAT_WEB_PORT: '0', CHAT_WEB_BROWSER_ARGS: JSON.stringify(simulator.browserArgs) },
  });
  try {
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        output += text;
      });
    const url = await eventually(() => {
      const found = /"url":"([^"]+)".*"gateway listening"/.exec(output)?.[1];
      if (!found) throw new Error(`it has not started: ${output}`);
      return found;
    });
    const started = await fetch(`${url}/sessions/main/start`, { method: 'POST' });
    expect(await started.json()).toMatchObject({ status: 'qr', qr: expect.stringMatching(/^data:image\/png/) });
  } finally {
    // A Ctrl+C reaches npx and the gateway.
    if (child.exitCode === null && child.pid) process.kill(-child.pid, 'SIGINT');
    await untilEnded(child);
    await simulator.close();
  }
});
