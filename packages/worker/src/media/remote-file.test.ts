import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchToFile } from './remote-file.ts';

let dir: string;
let server: Server;
let port: number;
let requests = 0;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'chat-web-fetch-'));
  server = createServer((request, response) => {
    requests += 1;
    const [, kind, target] = /^\/(\w+)(?:\?(.*))?$/.exec(request.url ?? '') ?? [];
    if (kind === 'to') response.writeHead(302, { Location: decodeURIComponent(target ?? '') }).end();
    else if (kind === 'loop') response.writeHead(302, { Location: '/loop' }).end();
    else if (kind === 'endless') {
      response.writeHead(200);
      const timer = setInterval(() => response.write(Buffer.alloc(1_000)), 1);
      response.on('close', () => clearInterval(timer));
    } else if (kind !== 'silent') response.writeHead(200, { 'Content-Type': 'image/png; q=1' }).end('bytes');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(dir, { recursive: true });
});

const fetchIt = (url: string, limits: Partial<Parameters<typeof fetchToFile>[2]> = {}) =>
  fetchToFile(url, join(dir, 'file'), { allowedHosts: [], maxBytes: 10_000, timeoutMs: 2_000, ...limits });

describe('fetchToFile', () => {
  const inside = () => [
    ...['127.0.0.1', 'localhost', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.0.0.2', '0.0.0.0', '0'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:0:0:1]', '[64:ff9b::7f00:1]'],
    ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
    ...['169.254.169.254', '169.254.0.1', '100.64.0.1', '192.0.0.1', '198.18.0.1', '224.0.0.1', '239.255.255.255'],
    ...['255.255.255.255', '240.0.0.1', '192.0.2.1', '203.0.113.1'],
    ...[
      '[fe80::1]',
      '[fc00::1]',
      '[fd12:3456::1]',
      '[ff02::1]',
      '[::ffff:10.0.0.1]',
      '[::127.0.0.1]',
      '[::ffff:169.254.169.254]',
      '[2001:db8::1]',
    ],
    ...['localhost.', 'LOCALHOST', 'user:pass@127.0.0.1'],
  ];

  it('reaches nothing inside, in whatever way it is written', async () => {
    const before = requests;
    for (const host of inside()) {
      await expect(fetchIt(`http://${host}:${port}/`), host).rejects.toMatchObject({ code: 'media_unavailable' });
      await expect(fetchIt(`https://${host}:${port}/`), host).rejects.toMatchObject({ code: 'media_unavailable' });
    }
    expect(requests).toBe(before);
  });

  it('reaches nothing inside by a redirect either, nor by another scheme', async () => {
    const allowedHosts = [`localhost:${port}`];
    const before = requests;
    const targets = [
      ...inside()
        .filter((host) => !/^(localhost|LOCALHOST)$/.test(host))
        .map((host) => `http://${host}:${port}/`),
      'file:///etc/passwd',
      'ftp://127.0.0.1/',
      'data:,x',
    ];
    for (const target of targets) {
      const url = `http://localhost:${port}/to?${encodeURIComponent(target)}`;
      await expect(fetchIt(url, { allowedHosts }), target).rejects.toMatchObject({ code: 'media_unavailable' });
    }
    expect(requests - before).toBe(targets.length);
  });

  it('fetches from hosts that the operator names, by host, by host and port, or by range', async () => {
    for (const entry of ['localhost', `localhost:${port}`, '127.0.0.0/8']) {
      const file = await fetchIt(`http://localhost:${port}/x`, { allowedHosts: [entry] });
      expect(file).toEqual({ size: 5, mimeType: 'image/png' });
    }
    const wrongPort = fetchIt(`http://localhost:${port}/x`, { allowedHosts: ['localhost:1'] });
    await expect(wrongPort).rejects.toMatchObject({ code: 'media_unavailable' });
  });

  it('ends: on a loop, on more bytes than allowed, on silence', async () => {
    const allowedHosts = ['localhost'];
    for (const path of ['loop', 'endless', 'silent']) {
      const startedAt = Date.now();
      const fetching = fetchIt(`http://localhost:${port}/${path}`, { allowedHosts, timeoutMs: 500 });
      await expect(fetching, path).rejects.toMatchObject({ code: 'media_unavailable' });
      expect(Date.now() - startedAt).toBeLessThan(1_500);
    }
  });
});
