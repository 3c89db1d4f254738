import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../scripts/dist/contract.js', import.meta.url));

function compare(sources: Readonly<Record<string, string>>, ...options: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'chat-web-contract-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder, name), source);
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, folder, ...options], { encoding: 'utf8' });
  return { status, lines: stdout.split('\n'), stderr };
}

/** A module of a build: its exports, and what it imports. */
const module = (name: string, body: string, imports: readonly string[] = []) =>
  `__d("${name}", ${JSON.stringify(imports)}, function (t, n, r, o, a, i, l) { ${body} }, 98);\n`;

it('lists what a build lacks of the contract, and the parameters of what it has', () => {
  const { status, lines } = compare(
    {
      'a.js':
        module('WAWebWidFactory', 'function e(t, n) { var e = 1; } ((l.createWid = e), (l.other = 1));') +
        module('WAWebMsgReply', 'l.canReplyMsg = { is: "no function" };'),
      'b.js': module('WAWebGroupCreateJob', 'l.createGroup = function (t, n) {};'),
      'c.js': module('WAWebNewGroupFlow.react', '', ['WAWebGroupCreateJob']),
      'd.js': module('Loader', 'r("JSResource")("WAWebNewGroupFlow.react").load();'),
    },
    '--all',
  );
  expect(status).toBe(1);
  expect(lines).toContain('function WAWebWidFactory.createWid(2)');
  expect(lines).toContain('missing  WAWebMsgReply.canReplyMsg: an object instead of a function');
  expect(lines).toContainEqual(
    expect.stringMatching(/^missing {2}WAWebSendReactionMsgAction: no sendMessage\.reaction/),
  );
  expect(lines.filter((line) => line.includes('WAWebGroupCreateJob'))).toEqual([
    'function WAWebGroupCreateJob.createGroup(2)',
    'missing  WAWebGroupCreateJob.GroupAlreadyExistsError (optional)',
  ]);
});

it('reports a module that no component of the build leads to', () => {
  const { lines } = compare({ 'a.js': module('WAWebGroupCreateJob', 'l.createGroup = function () {};') });
  expect(lines).toContain('missing  WAWebGroupCreateJob: no component leads to it');
});

it('--help prints the usage, and is no error', () => {
  const { status, lines, stderr } = compare({}, '--help');
  expect([status, lines[0], stderr]).toEqual([0, expect.stringContaining('npm run contract -- <folder>'), '']);
});

it('a folder without modules is an error', () => {
  const { status, stderr } = compare({ 'a.js': 'const no = 1;' });
  expect(status).toBe(64);
  expect(stderr).toContain('no modules found');
});
