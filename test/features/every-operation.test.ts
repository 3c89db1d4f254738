import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { changesSomething, type Operation, type WorkerOperationName, workerOperations } from '@chat-web/protocol';
import {
  ADA,
  askExample,
  browserAndWorkerIn,
  eventually,
  examplesOf,
  rawRequest,
  type TitledExample,
} from '@chat-web/testing';
import { prepareExamples } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const rows = Object.entries<Operation>(workerOperations);
const all = examplesOf(rows.map(([name]) => name as WorkerOperationName));

const stack = sharedStack({ settings: { CHAT_WEB_MAX_REQUESTS_PER_SESSION: '500' } });
beforeAll(async () => {
  await prepareExamples(stack.phones, ADA);
  // `spare` is for the examples of a session that is not linked yet, `main` for all others.
  await Promise.all([stack.client.startSession({ id: 'spare' }), stack.link('main', ADA)]);
});

const ask = (one: TitledExample) => askExample((request) => rawRequest(stack.gateway.url, request), one);
const codesOf = async (answers: readonly Promise<{ readonly status: number; readonly body: { code?: string } }>[]) => {
  const codes: Record<string, string[]> = {};
  for (const [index, { status, body }] of (await Promise.all(answers)).entries()) {
    const { name = '' } = all[index] ?? {};
    codes[name] = [...new Set([...(codes[name] ?? []), body.code ?? String(status)])];
  }
  return codes;
};
const eachWith = (codeOf: (row: Operation) => string) =>
  Object.fromEntries(rows.map(([name, row]) => [name, [codeOf(row)]]));

describe('every operation that a worker answers', () => {
  it('fails with its worker: session_lost if it only reads, outcome_unknown if it changes something', async () => {
    const lostWith = (row: Operation) => (changesSomething(row) ? 'outcome_unknown' : 'session_lost');
    for (const [name, row] of rows) expect(row.errors, name).toContain(lostWith(row));
    const workers = ['main', 'spare'].map((id) => browserAndWorkerIn(join(stack.dataDir, 'sessions', id)).worker);
    // Stopped, no worker answers a call before it is killed: neither this way nor because its page stopped responding.
    for (const worker of workers) process.kill(worker, 'SIGSTOP');
    const answers = all.map(ask);
    await eventually(async () => {
      const { text } = await rawRequest(stack.gateway.url, { path: '/metrics' });
      expect(text).toContain(`chat_web_calls_pending ${all.length}\n`);
    });
    // For the next story: right after a link, many numbers are not looked up.
    const marker = join(stack.dataDir, 'sessions', 'main', 'linked.json');
    const linked = JSON.parse(await readFile(marker, 'utf8')) as object;
    await writeFile(marker, JSON.stringify({ ...linked, linkedAt: new Date(Date.now() - 3_600_000).toISOString() }));
    for (const worker of workers) process.kill(worker, 'SIGKILL');
    expect(await codesOf(answers)).toEqual(eachWith(lostWith));
  });

  it('fails with client_failed where the page fails', async () => {
    for (const [name, row] of rows) expect(row.errors, name).toContain('client_failed');
    await Promise.all([stack.untilStatus('main', 'ready'), stack.untilStatus('spare', 'qr')]);
    for (const { id } of await stack.phones.pages()) await stack.phones.disturb(id, 'broken');
    expect(await codesOf(all.map(ask))).toEqual(eachWith(() => 'client_failed'));
  });
});
