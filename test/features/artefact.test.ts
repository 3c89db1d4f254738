import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ADA, BEN, eventually } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { findingsOf, resultsOf, runDoctor, Stack } from '@chat-web/testing/stack';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('../../scripts/dist/artefact.js', import.meta.url));

/** It is outside the checkout: there is no `node_modules` above. */
const root = sharedFolder();
const folder = join(root, 'chat-web');
const bin = join(folder, 'bin', 'chat-web.js');
const stack = new Stack({ main: bin, cwd: root });
let files: readonly string[] = [];

beforeAll(async () => {
  await run(process.execPath, [SCRIPT, folder]);
  files = await filesOf(folder);
  await stack.open();
});
afterAll(() => stack[Symbol.asyncDispose]());

const filesOf = async (path: string) => (await readdir(path, { recursive: true })).sort();

/** Runs the command `chat-web`. */
function chatWeb(args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const { PATH = '' } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    encoding: 'utf8',
    cwd: root,
    env: { PATH, ...settings },
  });
  return { status, stdout, stderr };
}

it('has programs, their licences, and nothing that they do not need', () => {
  expect(files.filter((path) => !path.includes('/'))).toEqual(
    ['LICENSE', 'NOTICE', 'README.md', 'THIRD-PARTY-LICENSES', 'bin', 'console', 'deploy', 'doctor', 'gateway']
      .concat(['package.json', 'reference', 'simulator', 'sql', 'tools', 'worker'])
      .sort(),
  );
  expect(files.filter((path) => /node_modules|\.map$|\.ts$|\.test\.|tsbuildinfo/.test(path))).toEqual([]);
});

it('links an account, sends, and serves its pages', async () => {
  await stack.link('main', ADA);
  const sent = await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'from the artefact' });
  expect(await stack.onPhone(BEN, sent.id)).toMatchObject({ body: 'from the artefact' });
  for (const page of ['/console/', '/docs/']) {
    const html = await (await fetch(stack.gateway.url + page)).text();
    const [, script] = /<script[^>]* src="([^"]+)"/.exec(html) ?? [];
    expect([page, (await fetch(`${stack.gateway.url}${page}${script}`)).status]).toEqual([page, 200]);
  }
});

it('needs no code cache of its worker', async () => {
  const caches = files.filter((path) => path.endsWith('.cache'));
  expect(caches).toEqual([`worker/worker.cjs.${process.version}-${process.arch}.cache`]);
  for (const cache of caches) await rm(join(folder, cache));
  await stack.client.restartSession({ id: 'main' });
  await stack.untilStatus('main', 'ready');
  expect(await filesOf(folder)).toEqual(files.filter((path) => !caches.includes(path)));

  await run(process.execPath, [join(folder, 'tools/compile-worker.js'), join(folder, 'worker/worker.cjs')]);
  expect(await filesOf(folder)).toEqual(files);
});

it('prints its version, its settings and its commands', () => {
  expect(chatWeb(['--version'])).toEqual({ status: 0, stdout: '0.1.0\n', stderr: '' });
  const { status, stdout } = chatWeb(['--help']);
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(/^Usage: chat-web \[command\].* doctor .*CHAT_WEB_PORT/s),
  ]);
});

it.each(['doctr', 'constructor', ''])('refuses %j, which is no command', (name) => {
  const { status, stdout, stderr } = chatWeb([name]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(`there is no command ${name}\n\nUsage: chat-web [command]`);
});

it.each(['doctor', 'link', 'move', 'journal', 'simulator'])('has help for %s that names the command', (name) => {
  const { status, stdout } = chatWeb([name, '--help']);
  expect([status, stdout]).toEqual([0, expect.stringContaining(name === 'simulator' ? name : `chat-web ${name}`)]);
  const npx = chatWeb([name, '--help'], { npm_lifecycle_event: 'npx' });
  if (name !== 'simulator') expect(npx.stdout).toContain(`npx chat-web ${name}`);
});

it('makes tokens, and reads the journal', () => {
  expect(chatWeb(['token']).stdout).toMatch(/CHAT_WEB_TOKEN=sha256:[0-9a-f]{64}\n/);
  const { status, stdout } = chatWeb(['journal', 'stats'], { CHAT_WEB_DATA_DIR: stack.dataDir });
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^main ready [1-9]/m)]);
});

it('checks a machine and the page with doctor', async () => {
  const found = await runDoctor(['--quick', '--json'], {
    command: [bin, 'doctor'],
    settings: {
      CHAT_WEB_DATA_DIR: join(root, 'unused'),
      CHAT_WEB_BROWSER_ARGS: JSON.stringify(stack.simulator.browserArgs),
    },
  });
  const findings = findingsOf(found);
  expect(resultsOf(findings, 'fail')).toEqual([]);
  expect([...findings.keys()]).toContain('page');
});

it('has the simulator, with its page and the page of its phones', async () => {
  const child: ChildProcess = spawn(process.execPath, [bin, 'simulator'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout?.on('data', (text) => {
    output += text;
  });
  const exited = once(child, 'exit');
  try {
    const [, url] = await eventually(() => {
      const found = /^phones +(\S+) .*CHAT_WEB_BROWSER_ARGS=/ms.exec(output);
      if (!found) throw new Error(`it has not started: ${output}`);
      return found;
    });
    for (const path of ['/', '/phones.js', '/phones.css', '/phones.svg'])
      expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
    const args = JSON.parse(/CHAT_WEB_BROWSER_ARGS='(.*)'/.exec(output)?.[1] ?? '');
    await using other = await Stack.start({ settings: { CHAT_WEB_BROWSER_ARGS: JSON.stringify(args) } });
    expect(await other.client.startSession({ id: 'main' })).toMatchObject({ status: 'qr' });
  } finally {
    child.kill();
  }
  expect(await exited).toEqual([0, null]);
});
