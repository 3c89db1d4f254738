import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rawRequest } from '@chat-web/testing';
import { expect, it } from 'vitest';
import { GuardedResponse } from './guarded-response.ts';

const GUARDS = {
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

async function headersOf(write: (response: ServerResponse) => void, headers = {}) {
  const server = createServer({ ServerResponse: GuardedResponse }, (_, response) => write(response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return (await rawRequest(url, { path: '/', headers })).headers;
  } finally {
    server.close();
  }
}

it.each<[string, (response: ServerResponse) => void]>([
  ['by name', (response) => response.writeHead(200, { 'X-Own': '1' }).end()],
  ['in a list', (response) => response.writeHead(200, ['X-Own', '1']).end()],
  ['after a reason', (response) => response.writeHead(200, 'Fine', { 'X-Own': '1' }).end()],
  ['before', (response) => response.setHeader('X-Own', '1').end('text')],
  ['before and by name', (response) => response.setHeader('X-Own', '1').writeHead(200, { 'X-More': '2' }).end()],
])('headers that a route sets %s are added to those of every response', async (_, write) => {
  expect(await headersOf(write)).toMatchObject({ ...GUARDS, 'x-own': '1' });
});

it('the default headers are set without any other header', async () => {
  for (const write of [
    (response: ServerResponse) => response.writeHead(204).end(),
    (response: ServerResponse) => response.end(),
    (response: ServerResponse) => response.write('x', () => response.end()),
  ])
    expect(await headersOf(write)).toMatchObject(GUARDS);
});

it.each<[string, (response: ServerResponse) => void]>([
  ['by name', (response) => response.writeHead(200, { 'CACHE-control': 'public' }).end()],
  ['in a list', (response) => response.writeHead(200, ['cache-control', 'public']).end()],
  ['before', (response) => response.setHeader('Cache-Control', 'public').writeHead(200, { 'X-More': '2' }).end()],
])('a header that a route sets %s replaces the default', async (_, write) => {
  expect(await headersOf(write)).toMatchObject({ ...GUARDS, 'cache-control': 'public' });
});

it("the headers include the request id: the client's own if it is safe to log", async () => {
  const idFor = async (given?: string) => {
    const headers = given === undefined ? {} : { 'x-request-id': given };
    return (await headersOf((response) => response.end(), headers))['x-request-id'];
  };
  expect(await idFor('order-17.a:b_C')).toBe('order-17.a:b_C');
  const made = [];
  for (const given of [undefined, '', 'a b', 'x'.repeat(129), '"', 'ä']) made.push(await idFor(given));
  for (const id of made) expect(id).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
  expect(new Set(made).size).toBe(made.length);
});

const MODULE = new URL('../../../dist/http/server/guarded-response.js', import.meta.url).href;
/** A server that is created before the module is first imported. */
const SCRIPT = `
  import { createAdaptorServer } from '@hono/node-server';
  const fetchOwn = async (_, { outgoing }) => {
    const { RESPONSE_ALREADY_SENT } = await import('${MODULE}');
    outgoing.write('mine');
    setTimeout(() => outgoing.end(), 100);
    return RESPONSE_ALREADY_SENT;
  };
  const server = createAdaptorServer({ fetch: fetchOwn }).listen(0, '127.0.0.1', async () => {
    const answer = await fetch('http://127.0.0.1:' + server.address().port);
    console.log(await answer.text());
    process.exit();
  });
`;

it('leaves the response to its route, whenever the first server was created', () => {
  const cwd = new URL('../../..', import.meta.url);
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', SCRIPT], { cwd, encoding: 'utf8' });
  expect(output).toBe('mine\n');
});
