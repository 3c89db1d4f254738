import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import {
  ADA,
  eventually,
  hostileBodies,
  inHttpChunks,
  JSON_TYPE,
  peakMb,
  rawRequest,
  resetPeak,
} from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const BODY_BYTES = 10_485_760;
const MAX_PARTICIPANTS = 100;

/** The session is ready, so that only the body can be the reason. */
describe('a hostile body', () => {
  const stack = sharedStack();
  beforeAll(() => stack.link('main', ADA));

  /** Sends a request over its own connection. Resolves with the raw response, or `''` if there is none. */
  const send = (head: string, body: Buffer) =>
    new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(stack.gateway.url).port), '127.0.0.1', () => {
        socket.write(`POST ${head}\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`);
        socket.write(body);
      });
      let answer = '';
      socket.on('data', (bytes) => {
        answer += bytes.toString();
        if (/\r\n\r\n\{.*\}$/s.test(answer)) socket.end();
      });
      socket.on('error', () => resolve(answer));
      socket.on('close', () => resolve(answer));
    });
  const asSent = (body: Buffer, chunkBytes?: number) => {
    if (!chunkBytes) return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
    return Buffer.concat([Buffer.from('Transfer-Encoding: chunked\r\n\r\n'), inHttpChunks(body, chunkBytes)]);
  };

  it.each(hostileBodies)('is refused: $name', async ({ make, answers, chunkBytes }) => {
    const answer = await send('/sessions/main/messages HTTP/1.1', asSent(make(BODY_BYTES), chunkBytes));
    expect(answers).toContain(Number(answer.slice(9, 12)));
    expect(answer).toMatch(/"code":"(invalid_request|body_too_large|recipient_not_found)"/);
    await eventually(async () => expect(await stack.spooled()).toEqual([]));
  });

  it('is refused on routes that take no media, too', async () => {
    for (const { make, chunkBytes } of hostileBodies) {
      const answer = await send('/sessions/main/groups HTTP/1.1', asSent(make(2_000_000), chunkBytes));
      expect(answer.slice(9, 12)).toMatch(/^(400|413)$/);
    }
  });

  it('gets an error with the problem and the limit, but not with each of ten thousand places', async () => {
    const post = (path: string, body: string) =>
      rawRequest(stack.gateway.url, { method: 'POST', path, headers: JSON_TYPE, body });
    const large = JSON.stringify({ type: 'text', to: '12025550102', body: 'x'.repeat(600_000) });
    const { status, body } = await post('/sessions/main/messages', large);
    expect([status, body.error]).toEqual([413, expect.stringContaining('524288 bytes beside its file')]);
    const deep = await post('/sessions/main/messages', `{"x":${'['.repeat(40)}${']'.repeat(40)}}`);
    expect([deep.status, deep.body.error]).toEqual([400, expect.stringContaining('32 levels')]);
    const group = (size: number) =>
      post('/sessions/main/groups', JSON.stringify({ subject: 'x', participants: Array(size).fill('nobody') }));
    const many = await group(MAX_PARTICIPANTS);
    expect(many.status).toBe(400);
    expect(many.body.issues).toHaveLength(20);
    expect(many.body.error).toMatch(new RegExp(`and ${MAX_PARTICIPANTS - 20} more$`));
    const tooMany = await group(9_000);
    expect([tooMany.status, tooMany.body.issues?.map(({ path }) => path)]).toEqual([400, ['participants']]);
  });

  it.each([
    '{"type":"document","to":"12025550999","base64":"AAAA","base64":null}',
    '{"type":"document","to":"12025550999","base64":"AAAA","b\\u0061se64":"AAAA"}',
    '{"type":"document","to":"12025550999","base64":{"path":"/etc/passwd","size":3},"base64":"AAAA","base64":1}',
  ])('says one thing to the scanner and another to the parser: %s', async (body) => {
    const answer = await rawRequest(stack.gateway.url, {
      method: 'POST',
      path: '/sessions/main/messages',
      headers: JSON_TYPE,
      body,
    });
    expect([answer.status, answer.body.issues?.map(({ path }) => path)]).toEqual([400, ['base64']]);
  });

  it('is decompressed only up to the limit, and not in memory', async () => {
    const text = gzipSync(JSON.stringify({ type: 'text', to: '12025550102', body: 'x'.repeat(100_000_000) }));
    const media = gzipSync(JSON.stringify({ type: 'document', to: '12025550102', base64: 'A'.repeat(200_000_000) }));
    const beforeMb = resetPeak(stack.gateway.pid);
    for (const [path, bomb] of [
      ['/sessions/main/messages', text],
      ['/sessions/main/groups', text],
      ['/sessions/main/messages', media],
    ] as const) {
      const answer = await send(`${path} HTTP/1.1\r\nContent-Encoding: gzip`, asSent(bomb));
      expect(answer).toMatch(/^HTTP\/1\.1 413 .*"code":"body_too_large"/s);
    }
    expect(peakMb(stack.gateway.pid) - beforeMb).toBeLessThan(30);
    expect(await stack.spooled()).toEqual([]);
  });

  it('leaves gateway and session healthy, and no error in the log', async () => {
    expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'ready', restarts: 0 });
    expect(stack.gateway.log.filter((line) => /"level":"(error|fatal)"|rejection/i.test(line))).toEqual([]);
    expect(await stack.spooled()).toEqual([]);
  });
});

describe('media for a session that refuses them', () => {
  it('are not read: they are refused before they arrive', async () => {
    await using stack = await Stack.start();
    const ask = (path: string, bytes: number) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(new URL(stack.gateway.url).port), '127.0.0.1', () =>
          socket.write(
            `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n{`,
          ),
        );
        let answer = '';
        socket.on('data', (bytes) => {
          answer += bytes.toString();
          const [code] = /"code":"\w+"/.exec(answer) ?? [];
          if (!code) return;
          resolve(code);
          socket.destroy();
        });
        socket.on('error', reject);
      });
    await stack.client.startSession({ id: 'unlinked' });
    expect(await ask('/sessions/nobody/messages', 50_000_000)).toContain('session_not_found');
    expect(await ask('/sessions/unlinked/messages', 50_000_000)).toContain('session_not_ready');
    expect(await ask('/sessions/unlinked/status', 50_000_000)).toContain('session_not_ready');
    expect(await ask('/sessions/nobody/messages', 200_000_000)).toContain('body_too_large');
    expect(await ask('/sessions/no%20body/messages', 50_000_000)).toContain('invalid_request');
  });
});
