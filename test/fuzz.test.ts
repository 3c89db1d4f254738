import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Example, type Operation, type OperationName, operations, queryNames } from '@chat-web/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayProcess, spawnGateway } from '../scripts/gateway-process.ts';
import { examplesOf, requestOf } from './helpers/example-requests.ts';
import { rawRequest } from './helpers/raw-request.ts';
import { JSON_TYPE } from './helpers/rows.ts';
import { saveSession } from './helpers/saved-session.ts';

const TOKEN = 'sesame';
let dataDir: string;
let gateway: GatewayProcess;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chat-web-test-'));
  await saveSession(dataDir, 'saved');
  gateway = await spawnGateway({
    CHAT_WEB_PORT: '0',
    CHAT_WEB_DATA_DIR: dataDir,
    CHAT_WEB_AUTO_START_SESSIONS: 'no',
    CHAT_WEB_TOKEN: TOKEN,
    CHAT_WEB_MAX_SESSIONS: '1', // One exists already. No other starts, so no browser runs.
  });
});
afterAll(async () => {
  await gateway.end();
  await rm(dataDir, { recursive: true });
});

/** A valid body, with some of its fields replaced by arbitrary JSON. */
function spoiled(example: Example): fc.Arbitrary<unknown> {
  const fields = Object.keys(example.body ?? { takeBack: true });
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.string(),
    fc.base64String(),
    fc.constantFrom('\u0000', '__proto__', -1, 1e308),
  );
  return fc
    .dictionary(fc.constantFrom(...fields, 'url', 'base64', '__proto__', 'id'), anything, { maxKeys: 3 })
    .map((changes) => ({ ...example.body, ...changes }));
}

const rows = Object.entries(operations) as [OperationName, Operation][];
const namesOf = (fits: (row: Operation) => unknown) => rows.flatMap(([name, row]) => (fits(row) ? [name] : []));
const withBody = namesOf(({ body, optionalBody }) => body ?? optionalBody);
const withQuery = namesOf(({ query }) => query);
const authorization = `Bearer ${TOKEN}`;

describe('arbitrary input', () => {
  it.each(examplesOf(withBody))('in a body is never answered 500 by $name ($title)', async ({ name, example }) => {
    const { body: _, ...request } = requestOf(name, example);
    await fc.assert(
      fc.asyncProperty(fc.oneof(spoiled(example), fc.jsonValue()), async (body) => {
        const headers = { ...JSON_TYPE, authorization };
        const answer = await rawRequest(gateway.url, { ...request, headers, body: JSON.stringify(body) });
        if (name === 'createKey' && answer.status === 201) return;
        if (name === 'startSession' && answer.body.code === 'insufficient_resources') return;
        expect([400, 404, 422]).toContain(answer.status);
        expect(answer.body.code).toMatch(/^(invalid_request|(session|webhook)_not_found|url_not_allowed)$/);
      }),
      { numRuns: 60 },
    );
  });

  it.each(examplesOf(withQuery))('in a query is never answered 500 by $name ($title)', async ({ name, example }) => {
    const names = [...queryNames(operations[name] as Operation), 'unknown', '__proto__'];
    const value = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer().map(String), fc.constantFrom('\u0000', '1e9'));
    const queries = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const request = requestOf(name, { ...example, query: { ...example.query, ...query } });
        const answer = await rawRequest(gateway.url, { ...request, headers: { authorization } });
        expect([400, 404]).toContain(answer.status);
        expect(answer.body.code).toMatch(/^(invalid_request|session_not_found)$/);
      }),
      { numRuns: 60 },
    );
  });

  it('leaves no file, no logged error and a running gateway', async () => {
    expect(await readdir(join(dataDir, 'spool'))).toEqual([]); // No session runs, so none has a folder there.
    expect(gateway.log.filter((line) => /"level":"(error|fatal)"|rejection/i.test(line))).toEqual([]);
    expect((await rawRequest(gateway.url, { path: '/health' })).status).toBe(200);
  });
});
