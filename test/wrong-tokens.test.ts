import { request } from 'node:http';
import { createClient } from '@chat-web/host';
import { eventually, expectError, logLines, rawRequest } from '@chat-web/testing';
import { freshGateway } from '@chat-web/testing/story';
import { beforeEach, expect, it } from 'vitest';

const TOKEN = 'the-operators-token';
const GUESS = 'a-guess-of-somebody';
const gateway = freshGateway({ settings: { CHAT_WEB_TOKEN: TOKEN } });
beforeEach(() => gateway.start());

const ask = (token: string | undefined, path = '/sessions') =>
  rawRequest(gateway.url, { path, headers: token ? { authorization: `Bearer ${token}` } : {} });

/** The status of the response to a request from another address of this machine. */
function statusFrom(localAddress: string, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const outgoing = request(new URL('/sessions', gateway.url), { localAddress, headers, agent: false }, (incoming) => {
      incoming.resume();
      resolve(incoming.statusCode ?? 0);
    });
    outgoing.on('error', reject).end();
  });
}

it('wrong tokens are 429 after ten from one address; a right token or key is always accepted', async () => {
  const { key } = await createClient({ url: gateway.url, token: TOKEN }).createKey({
    name: 'reader',
    sessions: ['*'],
    scope: 'read',
  });
  for (let n = 0; n < 10; n += 1) expectError(await ask(`${GUESS}-${n}`), 401, 'unauthorized');
  for (let n = 0; n < 5; n += 1) {
    const answer = await ask(`${GUESS}-${n}`, n % 2 ? '/nowhere' : '/keys');
    expectError(answer, 429, 'rate_limited');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect((await ask(TOKEN)).status).toBe(200);
    expect((await ask(key)).status).toBe(200);
  }
  // A request without a token is no guess, and another address has not guessed yet.
  expectError(await ask(undefined), 401, 'unauthorized');
  expect(await statusFrom('127.0.0.2', GUESS)).toBe(401);
  expect(await statusFrom('127.0.0.1', GUESS)).toBe(429);
});

it('each refusal is counted in the metrics; log lines are limited, and contain no token', async () => {
  const { key, id } = await createClient({ url: gateway.url, token: TOKEN }).createKey({
    name: 'reader',
    sessions: ['shop-*'],
    scope: 'read',
  });
  for (let n = 0; n < 200; n += 1) await ask(`${GUESS}-${n}`);
  for (let n = 0; n < 30; n += 1) await ask(undefined);
  await ask(key, '/sessions/main/status');
  await ask(key, '/metrics');
  await rawRequest(gateway.url, { path: '/sessions', headers: { origin: 'http://evil.example' } });
  const { text } = await ask(TOKEN, '/metrics');
  for (const [kind, count] of [
    ['wrong_token', 10],
    ['too_many_wrong_tokens', 190],
    ['no_token', 30],
    ['expired_key', 0],
    ['foreign_session', 1],
    ['insufficient_scope', 1],
    ['web_page', 1],
  ])
    expect(text).toContain(`chat_web_refused_total{kind="${kind}"} ${count}\n`);

  // The log arrives through a pipe, a moment after the responses.
  const lines = await eventually(() => {
    const all = logLines(gateway.log) as unknown as { refused?: string; key?: string; audit?: boolean; who?: string }[];
    expect(all.map(({ refused }) => refused)).toContain('web_page');
    return all;
  });
  for (const kind of ['wrong_token', 'too_many_wrong_tokens', 'no_token']) {
    expect(lines.filter(({ refused }) => refused === kind)).toHaveLength(10);
  }
  expect(lines.filter(({ refused, key: of }) => refused === 'foreign_session' && of === id)).toHaveLength(1);
  // Unauthenticated requests cannot fill the disk through the audit log.
  expect(lines.filter(({ audit, who }) => audit && who === 'nobody').length).toBeLessThanOrEqual(60);
  for (const secret of [TOKEN, key, GUESS, key.slice(4)]) expect(gateway.log.join('\n')).not.toContain(secret);
});
