import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  bodyFields,
  type Example,
  type Operation,
  type OperationName,
  operations,
  queryNames,
  queryText,
} from '@chat-web/protocol';
import { examplesOf, JSON_TYPE, rawRequest, requestOf } from '@chat-web/testing';
import { sharedGateway } from '@chat-web/testing/story';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const TOKEN = 'sesame';
const gateway = sharedGateway({
  settings: { CHAT_WEB_TOKEN: TOKEN, CHAT_WEB_MAX_SESSIONS: '1' }, // No other session starts, so no browser runs.
  sessions: ['saved'],
});

/** A valid body, with some of its fields replaced by arbitrary JSON. */
function spoiled(name: OperationName, example: Example): fc.Arbitrary<unknown> {
  const body = bodyFields(operations[name], example);
  const fields = Object.keys(body).length > 0 ? Object.keys(body) : ['takeBack'];
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.string(),
    fc.base64String(),
    fc.constantFrom('\u0000', '__proto__', -1, 1e308),
  );
  return fc
    .dictionary(fc.constantFrom(...fields, 'url', 'base64', '__proto__', 'id'), anything, { maxKeys: 3 })
    .map((changes) => ({ ...body, ...changes }));
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
      fc.asyncProperty(fc.oneof(spoiled(name, example), fc.jsonValue()), async (body) => {
        const headers = { ...JSON_TYPE, authorization };
        const answer = await rawRequest(gateway.url, { ...request, headers, body: JSON.stringify(body) });
        if (name === 'createKey' && answer.status === 201) return;
        if ((name === 'createEventTicket' || name === 'rebalanceHosts') && answer.status === 200) return;
        if (name === 'startSession' && answer.body.code === 'insufficient_resources') return;
        expect([400, 404, 422]).toContain(answer.status);
        expect(answer.body.code).toMatch(/^(invalid_request|(session|webhook|host)_not_found|url_not_allowed)$/);
      }),
      { numRuns: 60 },
    );
  });

  it.each(examplesOf(withQuery))('in a query is never answered 500 by $name ($title)', async ({ name, example }) => {
    const names = [...queryNames(operations[name] as Operation), 'unknown', '__proto__'];
    const value = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer().map(String), fc.constantFrom('\u0000', '1e9'));
    const queries = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 });
    const { path: whole, ...rest } = requestOf(name, example);
    const headers = { authorization, ...(rest.body === undefined ? {} : JSON_TYPE) };
    const [path = '', shown] = whole.split('?');
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const sent = { ...Object.fromEntries(new URLSearchParams(shown)), ...query };
        const answer = await rawRequest(gateway.url, { ...rest, headers, path: path + queryText(sent) });
        if (name === 'listSessions' && answer.status === 200) return;
        if (name === 'startSession' && answer.body.code === 'insufficient_resources') return;
        expect([400, 404]).toContain(answer.status);
        expect(answer.body.code).toMatch(/^(invalid_request|(session|host)_not_found)$/);
      }),
      { numRuns: 60 },
    );
  });

  it('leaves no file, no logged error and a running gateway', async () => {
    expect(await readdir(join(gateway.dataDir, 'spool'))).toEqual([]); // No session runs, so none has a folder there.
    expect(gateway.log.filter((line) => /"level":"(error|fatal)"|rejection/i.test(line))).toEqual([]);
    expect((await rawRequest(gateway.url, { path: '/health' })).status).toBe(200);
  });
});
