import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Journal } from '@chat-web/gateway/tools';
import { sharedFolder } from '@chat-web/testing/hooks';
import { afterAll, beforeAll, expect, it } from 'vitest';

const TOOL = fileURLToPath(new URL('../../scripts/dist/journal.js', import.meta.url));
const silent = { info: () => {}, warn: () => {}, error: () => {} };
const dataDir = sharedFolder();
let journal: Journal;

beforeAll(async () => {
  journal = await Journal.open({
    dir: join(dataDir, 'journal'),
    folds: [],
    maxBytes: 1e9,
    maxAgeMs: 1e9,
    log: silent,
  });
  for (const session of ['main', 'shop', 'gone'])
    for (const n of [1, 2, 3])
      await journal.append({
        kind: 'event',
        name: 'message_ack',
        session,
        key: '',
        text: JSON.stringify({ id: `${session}-${n}`, ack: n }),
      });
  await journal.append({ kind: 'forget', name: '', session: 'gone', key: '', text: '' });
});
afterAll(async () => {
  await journal.close();
});

function run(...args: string[]): Promise<{ code: number; out: string; errors: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, CHAT_WEB_DATA_DIR: dataDir };
    const child = execFile(process.execPath, [TOOL, ...args], { env }, (_, out, errors) =>
      resolve({ code: child.exitCode ?? -1, out, errors }),
    );
  });
}

it('dumps the events that readers could get, of one session or all, while the journal is open', async () => {
  const all = await run('dump');
  const lines = all.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ data }) => data.id)).toEqual(['main-1', 'main-2', 'main-3', 'shop-1', 'shop-2', 'shop-3']);
  expect(lines[0]).toEqual({
    seq: expect.any(Number),
    session: 'main',
    at: expect.stringMatching(/Z$/),
    event: 'message_ack',
    data: { id: 'main-1', ack: 1 },
  });
  const one = await run('dump', '--session', 'shop');
  expect(one.out.trim().split('\n')).toHaveLength(3);
});

it('ends quietly if its reader ends before', async () => {
  const long = mkdtempSync(join(tmpdir(), 'chat-web-journal-'));
  const options = { dir: join(long, 'journal'), folds: [], maxBytes: 1e9, maxAgeMs: 1e9, log: silent };
  const filled = await Journal.open(options);
  const event = {
    kind: 'event',
    name: 'message',
    session: 'main',
    key: '',
    text: `{"x":"${'x'.repeat(1_000)}"}`,
  } as const;
  await Promise.all(Array.from({ length: 5_000 }, () => filled.append(event)));
  await filled.close();
  const child = spawn(process.execPath, [TOOL, 'dump', '--dir', long], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.once('data', () => child.stdout.destroy());
  const [[code], errors] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  rmSync(long, { recursive: true });
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
});

it('counts events by session and name', async () => {
  const { code, out } = await run('stats', '--dir', dataDir);
  expect(code).toBe(0);
  expect(out).toContain('main message_ack 3\nshop message_ack 3\n');
});

it('finds damage, and reports it by its exit code', async () => {
  expect(await run('verify')).toMatchObject({ code: 0, out: expect.stringMatching(/ 0 damaged places\n$/) });
  const copy = mkdtempSync(join(tmpdir(), 'chat-web-journal-'));
  const [name = ''] = readdirSync(join(dataDir, 'journal'));
  const bytes = readFileSync(join(dataDir, 'journal', name));
  bytes[bytes.indexOf('main-2')] = 0;
  await Journal.open({ dir: join(copy, 'journal'), folds: [], maxBytes: 1e9, maxAgeMs: 1e9, log: silent }).then((one) =>
    one.close(),
  );
  for (const made of readdirSync(join(copy, 'journal'))) rmSync(join(copy, 'journal', made));
  writeFileSync(join(copy, 'journal', name), bytes);
  const found = await run('verify', '--dir', copy);
  expect(found).toMatchObject({ code: 1, out: expect.stringMatching(/ 1 damaged places\n$/) });
  rmSync(copy, { recursive: true });
});

it('refuses unknown arguments, and prints its usage', async () => {
  for (const args of [[], ['repair'], ['verify', 'stats'], ['dump', '--sessions', 'main']])
    expect(await run(...args)).toMatchObject({
      code: 64,
      errors: expect.stringContaining('chat-web journal verify'),
    });
  expect(await run('verify', '--dir', join(dataDir, 'none'))).toMatchObject({
    code: 1,
    errors: expect.stringContaining('the journal cannot be read'),
  });
  expect((await run('--help')).code).toBe(0);
});
