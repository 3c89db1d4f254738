import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
        expect([400, 404]).toContain(answer.status);
        expect(answer.body.code).toMatch(/^(invalid_request|session_not_found)$/);
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

describe('a caller that does not finish', { concurrent: true }, () => {
  it.each([
    ['a head', 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '],
    [
      'a body',
      `POST /sessions/x/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"type"`,
    ],
  ])('%s is cut off', async (_, start) => {
    const { connect } = await import('node:net');
    const { port } = new URL(gateway.url);
    const startedAt = Date.now();
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(start));
      socket.on('close', () => resolve());
      socket.on('data', () => socket.end());
      setTimeout(() => reject(new Error('still open')), 15_000).unref();
    });
    expect(Date.now() - startedAt).toBeLessThan(15_000);
  });
});
