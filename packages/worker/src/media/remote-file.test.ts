import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Resolve } from '@chat-web/outbound';
import { eventually } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fetchToFile } from './remote-file.ts';
import { SpoolShare } from './spool-share.ts';

const EVERY_ADDRESS_HERE = '0.0.0.0';

const dir = sharedFolder();
let server: Server;
let port: number;
/** Sends responses that a Node server would not. */
let raw: TcpServer;
let rawPort: number;
/** The local address that each request was received at. */
let reached: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    reached.push(request.socket.localAddress ?? '');
    const [, kind, target] = /^\/(\w+)(?:\?(.*))?$/.exec(request.url ?? '') ?? [];
    if (kind === 'to') response.writeHead(302, { Location: asHeader(decodeURIComponent(target ?? '')) }).end();
    else if (kind === 'loop') response.writeHead(302, { Location: '/loop' }).end();
    else if (kind === 'named')
      response.writeHead(200, { 'Content-Disposition': decodeURIComponent(target ?? '') }).end('x');
    else if (kind === 'cookie') {
      const { cookie } = request.headers;
      const added = cookie === undefined ? ['a=0; Path=/', 'b=2; Secure'] : ['a=1; Path=/'];
      if (cookie === 'a=1; b=2') response.end('x');
      else response.writeHead(302, { Location: '/cookie', 'Set-Cookie': added }).end();
    } else if (kind === 'encoded') {
      const [, encoding = '', size] = /^([\w-]+),(\d+)$/.exec(target ?? '') ?? [];
      const packed = packers[encoding]?.(Buffer.alloc(Number(size), 'a')) ?? Buffer.from('x');
      response.writeHead(200, { 'Content-Encoding': encoding }).end(packed);
    } else if (kind === 'range' || kind === 'status') {
      const [status, range] = kind === 'range' ? [206, decodeURIComponent(target ?? '')] : [Number(target), ''];
      response.writeHead(status, range ? { 'Content-Range': range } : {}).end('bytes');
    } else if (kind === 'agent') response.end(request.headers['user-agent']);
    else if (kind === 'type')
      response.writeHead(200, { 'Content-Type': asHeader(decodeURIComponent(target ?? '')) }).end('x');
    else if (kind === 'claims') response.writeHead(200, { 'Content-Length': '1000000000' }).write('a little');
    else if (kind === 'endless' || kind === 'drip') {
      response.writeHead(200);
      const chunk = Buffer.alloc(kind === 'drip' ? 1 : 1_000);
      const timer = setInterval(() => response.write(chunk), 1);
      response.on('close', () => clearInterval(timer));
    } else if (kind !== 'silent') response.writeHead(200, { 'Content-Type': 'image/png; q=1' }).end('bytes');
  });
  raw = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (request) => {
      const [, kind] = /^GET \/(\w+)/.exec(String(request)) ?? [];
      const again = (text: string) => {
        const timer = setInterval(() => socket.write(text), 1);
        socket.on('close', () => clearInterval(timer));
      };
      if (kind === 'headers') {
        socket.write('HTTP/1.1 200 OK\r\n');
        again(`X-More: ${'x'.repeat(1_000)}\r\n`);
      } else if (kind === 'interim') again('HTTP/1.1 103 Early Hints\r\n\r\n');
      else if (kind === 'word') {
        socket.write('HTTP/1.1 200 O');
        again('K');
      } else socket.end('220 mail.example ESMTP\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, EVERY_ADDRESS_HERE, resolve));
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  ({ port: rawPort } = raw.address() as AddressInfo);
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await new Promise((resolve) => raw.close(resolve));
});

const packers: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  // Cut off.
  GZIP: (bytes) => gzipSync(bytes).subarray(0, -9),
};

const LIMITS = { allowedHosts: [], maxBytes: 10_000, timeoutMs: 10_000, userAgent: 'chat-web/1.2.3' };

let path = '';
const fetchIt = (
  url: string,
  limits: Partial<Parameters<typeof fetchToFile>[2]> = {},
  resolve?: Resolve,
  add = (_bytes: number) => {},
) => {
  path = join(dir, randomUUID());
  return fetchToFile(url, path, { ...LIMITS, ...limits }, add, resolve);
};

/** A text as the bytes of a header, without line breaks. */
function asHeader(text: string): string {
  return Buffer.from(text.replaceAll('\n', '')).toString('latin1');
}

/** Returns the error of a fetch, and expects that it fails. */
async function refusal(fetching: Promise<unknown>): Promise<string> {
  const failed = await fetching.then(
    () => ({ code: 'fetched', message: '' }),
    (error: unknown) => error as { code: string; message: string },
  );
  return failed.code === 'media_unavailable' ? failed.message.replace(/^.*fetched: /, '') : `${failed.code}`;
}

/** A resolver that answers from a list, one entry per query, and counts the queries. */
function resolverOf(answers: readonly string[][]) {
  const asked: string[] = [];
  const resolve: Resolve = async (host) => {
    const addresses = answers[asked.length] ?? [];
    asked.push(host);
    await setImmediate();
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { asked, resolve };
}

const INSIDE = [
  // Common forms, with each number format that a URL accepts.
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.2',
  '0.0.0.0',
  '0',
  '0x0',
  '127.0.0.1.',
  '2130706433.',
  '127.000.000.001',
  '0X7F.0x0.0.0x1',
  // Other scripts.
  '127。0。0。1',
  '127．0．0．1',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'ｌｏｃａｌｈｏｓｔ',
  'loc\tal\nhost',
  'loc\u00adalhost',
  'localhost',
  'localhost.',
  'LOCALHOST',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::FFFF:7F00:0001]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[2001:0:5ef5:79fb::80ff:fffe]',
  // Ranges.
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.255.255',
  '169.254.169.254',
  '169.254.0.1',
  '100.64.0.1',
  '192.0.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '239.255.255.255',
  '255.255.255.255',
  '240.0.0.1',
  '192.0.2.1',
  '203.0.113.1',
  '[fe80::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[ff02::1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:169.254.169.254]',
  '[2001:db8::1]',
  '[3fff::1]',
  // Metadata.
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  '0xa83f8110',
  '[::ffff:168.63.129.16]',
  '[64:ff9b::168.63.129.16]',
  '2852039166',
  // Not a URL.
  '[fe80::1%25lo]',
  '[fe80::1%lo]',
  '[::1',
  '::1',
  '[127.0.0.1]',
  '256.0.0.1',
  '127.0.0.1.1',
  '0x7f.0.0.0.1',
  // Names before an @, which are not the host.
  'user:pass@127.0.0.1',
  'user@localhost',
  'example.com@127.0.0.1',
  'example.com%40127.0.0.1',
  '@127.0.0.1',
  'example.com:80@127.0.0.1',
  '127.0.0.1\\@example.invalid',
  '127.0.0.1#@example.invalid',
  ':@127.0.0.1',
];

describe('fetchToFile', () => {
  it(`reaches no private address, in any notation`, async () => {
    expect(new Set(INSIDE).size).toBeGreaterThan(90);
    reached = [];
    const written = vi.spyOn(process.stderr, 'write');
    const warned = vi.spyOn(console, 'warn');
    for (const host of INSIDE) {
      for (const scheme of ['http', 'https'])
        expect(await refusal(fetchIt(`${scheme}://${host}:${port}/`)), `${scheme}://${host}`).not.toBe('fetched');
    }
    expect(reached).toEqual([]);
    expect([...written.mock.calls, ...warned.mock.calls]).toEqual([]);
    vi.restoreAllMocks();
  });

  it('reaches no private address by a redirect or another scheme', async () => {
    const allowedHosts = [`localhost:${port}`];
    const targets = [
      ...INSIDE.filter(
        (host) =>
          !URL.canParse(`http://${host}:${port}/`) || new URL(`http://${host}:${port}/`).hostname !== 'localhost',
      ).map((host) => `http://${host}:${port}/`),
      'file:///etc/passwd',
      'ftp://127.0.0.1/',
      'data:,x',
      'gopher://127.0.0.1:25/_x',
      'javascript:1',
      'ws://x/',
      `//127.0.0.1:${port}/`,
      `https:127.0.0.1:${port}/x`,
      `\\\\127.0.0.1:${port}\\`,
      `http://a:b@localhost:${port}/`,
    ];
    for (const target of targets) {
      reached = [];
      const url = `http://localhost:${port}/to?${encodeURIComponent(target)}`;
      expect(await refusal(fetchIt(url, { allowedHosts })), target).not.toBe('fetched');
      expect(reached, target).toHaveLength(1);
    }
  });

  it('checks the same addresses that it connects to: a name is resolved once per connection', async () => {
    // The name changes to a private address between the first request and its redirect.
    const moving = resolverOf([['127.0.0.2'], ['127.0.0.1'], ['127.0.0.2']]);
    reached = [];
    const url = `http://moving.test:${port}/to?${encodeURIComponent(`http://moving.test:${port}/x`)}`;
    const why = await refusal(fetchIt(url, { allowedHosts: ['127.0.0.2/32'] }, moving.resolve));
    expect(why).toBe('it does not resolve to a public address');
    expect(moving.asked).toEqual(['moving.test', 'moving.test']);
    expect(reached).toEqual(['127.0.0.2']);
    // There is no second query between the first one and the connection.
    const twofold = resolverOf([['127.0.0.2'], ['127.0.0.1']]);
    await fetchIt(`http://moving.test:${port}/x`, { allowedHosts: ['127.0.0.2/32'] }, twofold.resolve);
    expect(twofold.asked).toHaveLength(1);
    expect(reached.at(-1)).toBe('127.0.0.2');
  });

  it('rejects a name with a private address among others', async () => {
    for (const inside of ['127.0.0.1', '::1', '169.254.169.254', '::ffff:127.0.0.1', '168.63.129.16', 'fe80::1%lo']) {
      for (const answer of [
        [inside, '127.0.0.2'],
        ['127.0.0.2', inside],
      ]) {
        reached = [];
        const { resolve } = resolverOf([answer]);
        const why = await refusal(fetchIt(`http://two.test:${port}/x`, { allowedHosts: ['127.0.0.2/32'] }, resolve));
        expect(why).toBe('it does not resolve to a public address');
        expect(reached).toEqual([]);
      }
    }
  });

  it('rejects a name without an address', async () => {
    expect(await refusal(fetchIt(`http://none.test:${port}/x`, {}, resolverOf([[]]).resolve))).not.toBe('fetched');
  });

  it('rejects ports of other protocols, user names and passwords for any host', async () => {
    const unused = resolverOf([]);
    for (const other of [0, 1, 22, 25, 53, 81, 110, 143, 445, 587, 993, 1023])
      expect(await refusal(fetchIt(`http://public.test:${other}/`, {}, unused.resolve))).toBe(
        `port ${other} is reserved for another protocol`,
      );
    for (const who of ['user', 'user:pass', ':pass'])
      expect(await refusal(fetchIt(`http://${who}@public.test/`, {}, unused.resolve))).toBe(
        'it contains a user name or a password',
      );
    expect(unused.asked).toEqual([]);
  });

  it('fetches from hosts that the operator allows, by host, by host and port, or by range of either family', async () => {
    for (const entry of ['localhost', `localhost:${port}`, '127.0.0.0/8', '::ffff:127.0.0.0/104']) {
      const fetched = await fetchIt(`http://localhost:${port}/x`, { allowedHosts: ['fd00::/8', entry, '10.0.0.0/8'] });
      expect(fetched).toEqual({ size: 5, mimeType: 'image/png', filename: undefined, pathName: 'x' });
      expect(readFileSync(path, 'utf8')).toBe('bytes');
    }
    const asMapped = await fetchIt(`http://[::ffff:127.0.0.1]:${port}/x`, { allowedHosts: ['127.0.0.0/8'] });
    expect(asMapped.size).toBe(5);
    const byName = await fetchIt(`http://[::ffff:7f00:1]:${port}/x`, { allowedHosts: ['[::ffff:127.0.0.1]'] });
    expect(byName.size).toBe(5);
    for (const entry of ['localhost:1', '::/96', '::1/128', '126.0.0.0/8'])
      expect(await refusal(fetchIt(`http://localhost:${port}/x`, { allowedHosts: [entry] })), entry).not.toBe(
        'fetched',
      );
  });

  it('does not write through an existing link', async () => {
    const [target, link] = [join(dir, 'target'), join(dir, 'link')];
    symlinkSync(target, link);
    const limits = { ...LIMITS, allowedHosts: ['localhost'] };
    expect(await refusal(fetchToFile(`http://localhost:${port}/x`, link, limits, () => {}))).toBe('EEXIST');
    expect(existsSync(target)).toBe(false);
  });

  it('ignores an invalid type', async () => {
    const typeOf = async (type: string) => {
      const url = `http://localhost:${port}/type?${encodeURIComponent(type)}`;
      return (await fetchIt(url, { allowedHosts: ['localhost'] })).mimeType;
    };
    expect(await typeOf('Image/PNG; charset=x')).toBe('image/png');
    for (const type of ['image/<script>', 'image', '', 'image/\u00e9', 'image/a b', `image/${'x'.repeat(200)}`])
      expect(await typeOf(type), type).toBeUndefined();
  });

  it.each<[what: string, header: string, filename: string | undefined]>([
    ['extended', "attachment; filename*=UTF-8''Rechnung%20M%C3%A4rz.pdf", 'Rechnung März.pdf'],
    ['extended, in ISO 8859-1', "inline; filename*=iso-8859-1'de'M%E4rz.pdf", 'März.pdf'],
    ['extended, and in quotes', `attachment; filename*="UTF-8''M%C3%A4rz.pdf"`, 'März.pdf'],
    ['plain', 'attachment; filename=bill.pdf', 'bill.pdf'],
    ['quoted', 'attachment; filename="a \\"b\\"; c.pdf"', 'a _b_; c.pdf'],
    ['in both forms', `attachment; filename="a.pdf"; filename*=UTF-8''%C3%A4.pdf`, 'ä.pdf'],
    ['in ISO 8859-1', 'attachment; filename="M\xe4rz.pdf"', 'März.pdf'],
    ['in raw UTF-8', asHeader('attachment; filename="März 日.pdf"'), 'März 日.pdf'],
    ['percent-encoded', 'attachment; filename="M%C3%A4rz.pdf"', 'März.pdf'],
    ['a path', 'attachment; filename="../../etc/passwd"', 'passwd'],
    ['a path of Windows', 'attachment; filename="C:\\\\a\\\\b.doc"', 'b.doc'],
    ['hidden, with controls', "attachment; filename*=UTF-8''..a%0A%E2%80%AEfdp.exe", 'a__fdp.exe'],
    ['long', `attachment; filename=${'x'.repeat(500)}.pdf`, `${'x'.repeat(251)}.pdf`],
    ['empty', 'attachment; filename=""', undefined],
    ['dots', 'attachment; filename=".."', undefined],
    ['invalid', "attachment; filename*=UTF-8''%E4.pdf", undefined],
    ['absent', 'attachment', undefined],
  ])('takes the name from Content-Disposition: %s', async (_, header, filename) => {
    const url = `http://localhost:${port}/named?${encodeURIComponent(header)}`;
    expect((await fetchIt(url, { allowedHosts: ['localhost'] })).filename).toBe(filename);
  });

  it('takes another name from the path of the last URL', async () => {
    const allowedHosts = ['localhost'];
    const nameOf = async (path: string) =>
      (await fetchIt(`http://localhost:${port}${path}`, { allowedHosts })).pathName;
    expect(await nameOf('/files/Invoice%2017.pdf?sig=a/b.doc')).toBe('Invoice 17.pdf');
    expect(await nameOf('/files/..%2F..%2Fetc%2Fpasswd')).toBe('passwd');
    expect(await nameOf('/files/100%')).toBe('100%');
    expect(await nameOf('/files/')).toBeUndefined();
    expect(await nameOf(`/to?${encodeURIComponent('/b/last.csv')}`)).toBe('last.csv');
  });

  it.each(['gzip', 'x-gzip', 'deflate', 'br'])('decodes %s, up to the limit', async (encoding) => {
    const allowedHosts = ['localhost'];
    const url = (size: number) => `http://localhost:${port}/encoded?${encoding},${size}`;
    expect((await fetchIt(url(9_000), { allowedHosts })).size).toBe(9_000);
    expect(readFileSync(path, 'utf8')).toBe('a'.repeat(9_000));
    const added: number[] = [];
    const bomb = fetchIt(url(50_000_000), { allowedHosts }, undefined, (bytes) => added.push(bytes));
    expect(await refusal(bomb)).toBe('it is larger than 10000 bytes');
    expect(added.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(10_000);
  });

  it('names its version, and keeps the newest cookies of its redirects', async () => {
    const text = async (kind: string) => {
      await fetchIt(`http://localhost:${port}/${kind}`, { allowedHosts: ['localhost'] });
      return readFileSync(path, 'utf8');
    };
    expect(await text('agent')).toBe('chat-web/1.2.3');
    expect(await text('cookie')).toBe('x');
    expect(await text('status?203')).toBe('bytes');
    expect(await text('range?bytes%200-4/5')).toBe('bytes');
  });

  it('fails on a loop, on too many bytes, sent or announced, on parts, on other encodings and on silence', async () => {
    const allowedHosts = ['localhost'];
    for (const [path, why] of [
      ['loop', 'more than 5 redirects'],
      ['endless', 'it is larger than 10000 bytes'],
      ['claims', 'it is larger than 10000 bytes'],
      ['encoded?zstd,1', 'the server sent it in a Content-Encoding other than gzip, deflate and br'],
      ['encoded?GZIP,1', 'its compressed content is invalid or incomplete'],
      ['range?bytes%200-4/9', 'the server returned only a part of it (206)'],
      ['range?', 'the server returned only a part of it (206)'],
      ['status?204', 'the server returned 204'],
      ['status?404', 'the server returned 404'],
      ['silent', 'it took longer than 0.5 s'],
      ['drip', 'it took longer than 0.5 s'],
    ] as const) {
      const timeoutMs = why.startsWith('it took') ? 500 : 20_000;
      const fetching = fetchIt(`http://localhost:${port}/${path}`, { allowedHosts, timeoutMs });
      expect(await refusal(fetching), path).toBe(why);
    }
  });

  it("uses at most the session's share of the spool, together with other fetches", async () => {
    const share = new SpoolShare(8_000);
    const other = share.hold();
    other.add(5_000);
    const limits = { allowedHosts: ['localhost'] };
    const fetchInto = () => fetchIt(`http://localhost:${port}/endless`, limits, undefined, share.hold().add);
    await expect(fetchInto()).rejects.toMatchObject({ code: 'rate_limited' });
    expect(statSync(path).size).toBeLessThanOrEqual(3_000);
  });

  it('fails on an endless header, and on a response that is not HTTP', async () => {
    for (const path of ['headers', 'interim', 'word', 'banner']) {
      const fetching = fetchIt(`http://localhost:${rawPort}/${path}`, { allowedHosts: ['localhost'], timeoutMs: 500 });
      expect(await refusal(fetching), path).toMatch(/^(HPE_\w+|it took longer than 0.5 s)$/);
    }
  });

  it('leaves no connection open', async () => {
    const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
    await eventually(async () => expect(await open()).toBe(0));
  });
});
