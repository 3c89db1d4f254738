import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Example, examples, type Operation, type OperationName, operations } from '@chat-web/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayProcess, spawnGateway } from '../scripts/gateway-process.ts';
import { rawRequest } from './helpers/raw-request.ts';

const TOKEN = 'sesame';
let dataDir: string;
let gateway: GatewayProcess;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chat-web-test-'));
  gateway = await spawnGateway({
    CHAT_WEB_PORT: '0',
    CHAT_WEB_DATA_DIR: dataDir,
    CHAT_WEB_AUTO_START_SESSIONS: 'no',
    CHAT_WEB_TOKEN: TOKEN,
  });
});
afterAll(async () => {
  await gateway.end();
  await rm(dataDir, { recursive: true });
});

/** A body that works, with some of its fields replaced by anything that JSON can hold. */
function spoiled(example: Example): fc.Arbitrary<unknown> {
  const fields = Object.keys(example.body ?? {});
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

const withBody = (Object.entries(operations) as [OperationName, Operation][]).filter(([, { body }]) => body);
const cases = withBody.flatMap(([name]) =>
  Object.entries(examples[name]).map(([title, example]) => ({ name, title, example })),
);

describe('a body that is anything', () => {
  it.each(cases)('is answered, and not with 500, by $name ($title)', async ({ name, example }) => {
    const { method, path } = operations[name];
    const filled = path.replace(/:(\w+)/g, (_, param: string) => encodeURIComponent(example.path[param] ?? ''));
    await fc.assert(
      fc.asyncProperty(fc.oneof(spoiled(example), fc.jsonValue()), async (body) => {
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
        const answer = await rawRequest(gateway.url, { method, path: filled, headers, body: JSON.stringify(body) });
        if (name === 'createKey' && answer.status === 201) return;
        expect([400, 404, 422]).toContain(answer.status);
        expect(answer.body.code).toMatch(/^(invalid_request|(session|webhook)_not_found|url_not_allowed)$/);
      }),
      { numRuns: 60 },
    );
  });

  it('leaves no file, no line of an error and a gateway that runs', async () => {
    expect(await readdir(join(dataDir, 'spool'))).toEqual([]); // No session runs, so none has a folder there.
    expect(gateway.log.filter((line) => /"level":"(error|fatal)"|rejection/i.test(line))).toEqual([]);
    expect((await rawRequest(gateway.url, { path: '/health' })).status).toBe(200);
  });
});

/** Callers have 10 s; a gateway that refuses at once would cut off slow ones, too. */
const SHORTEST_PATIENCE_MS = 8_000;

/** Resolves once the other side takes no more: writing to it fails. */
async function closed(socket: Socket): Promise<void> {
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.once('error', () => {});
    socket.write('more');
  });
}

describe('a caller that does not finish', { concurrent: true }, () => {
  it.each([
    ['a head', 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '],
    [
      'a body',
      `POST /sessions/x/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"type"`,
    ],
  ])('%s is told 408, and cut off', async (_, start) => {
    const startedAt = performance.now();
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1', () => socket.write(start));
    // It keeps its side open: it is the gateway that ends this.
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(performance.now() - startedAt).toBeGreaterThan(SHORTEST_PATIENCE_MS);
    await closed(socket);
    expect((await rawRequest(gateway.url, { path: '/health' })).status).toBe(200);
  });
});
