import { mkdirSync, readdirSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { validateHeaderValue } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { eventually, listening, mediaCorpus, pace } from '@chat-web/testing';
import { freshFolder } from '@chat-web/testing/hooks';
import { createAdaptorServer } from '@hono/node-server';
import { parse } from 'content-disposition';
import fc from 'fast-check';
import { Hono } from 'hono';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operator } from '../access/caller.ts';
import { Spool } from '../media/spool.ts';
import { downloadName, mediaHeaders, mediaResponse } from './media-response.ts';
import { SlowReaders } from './server/slow-reader.ts';
import type { ServerEnv } from './server-env.ts';

const log = pino({ enabled: false });

const anyName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc
    .array(
      fc.constantFrom('\ud800', '\udfff', '/', '\\', '..', '"', '\r\n', '\0', '\u202e', 'e\u0301', '😀', '%', 'a'),
      {
        maxLength: 300,
      },
    )
    .map((parts) => parts.join('')),
);

/** What browsers run as a script or style, or show as a page that may have scripts. */
const activeTypes = [
  'text/html',
  'application/xhtml+xml',
  'image/svg+xml',
  'text/xml',
  'application/xml',
  'application/vnd.google-earth.kml+xml',
  'text/xsl',
  'text/css',
  'application/wasm',
  'multipart/x-mixed-replace',
  'unknown/unknown',
  'text/jscript',
  'text/livescript',
  ...['javascript', 'ecmascript', 'x-javascript', 'x-ecmascript'].flatMap((name) => [
    `text/${name}`,
    `application/${name}`,
  ]),
  ...[0, 1, 2, 3, 4, 5].map((version) => `text/javascript1.${version}`),
];

describe('media headers', () => {
  it('are valid for any file name', () => {
    const file = fc.record({ filename: anyName, mimeType: fc.oneof(anyName, fc.constant('image/png')) });
    fc.assert(
      fc.property(file, ({ filename, mimeType }) => {
        const headers = mediaHeaders({ file: '', size: 1, filename, mimeType });
        for (const [name, value] of Object.entries(headers)) validateHeaderValue(name, value);
        expect(Object.entries(headers).join().length).toBeLessThan(2_000);
        const { type, parameters } = parse(headers['Content-Disposition'] ?? '');
        expect(type).toBe(headers['Content-Type'] === 'image/png' ? 'inline' : 'attachment');
        const fileName = parameters.filename ?? 'none';
        expect(fileName).toBe(fileName.normalize('NFC'));
        expect(fileName).not.toMatch(/[/\\\p{Cc}\p{Bidi_Control}\p{Surrogate}]|^\.*$/u);
        expect(headers).toMatchObject({ 'X-Content-Type-Options': 'nosniff' });
        expect(headers['Content-Security-Policy']).toMatch(/^sandbox; /);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\temp\\cat.png', 'cat.png'],
    ['a\r\nX-Evil: 1.txt', 'a__X-Evil: 1.txt'],
    ['cafe\u0301.pdf', 'caf\u00e9.pdf'],
    ['\ud800.txt', '\ufffd.txt'],
    [`${'😀'.repeat(200)}.jpeg`, `${'😀'.repeat(62)}.jpeg`],
    [`${'x'.repeat(10_000)}.gz`, `${'x'.repeat(252)}.gz`],
    ['..', undefined],
    ['folder/', undefined],
    [' . ', undefined],
    ['', undefined],
  ])('use a safe file name (%#)', (name, safe) => expect(downloadName(name)).toBe(safe));

  it.each([...activeTypes, `image/png; x=${'y'.repeat(300)}`, 'image'])(
    'never have an active or invalid type (%s)',
    (mimeType) => {
      for (const written of [mimeType, mimeType.toUpperCase(), `${mimeType}; charset=utf-8`, `${mimeType} ;x="a, b"`]) {
        const headers = mediaHeaders({ file: '', size: 1, mimeType: written });
        expect(headers).toMatchObject({
          'Content-Type': 'application/octet-stream',
          'Content-Disposition': 'attachment',
        });
      }
    },
  );

  it('have the type of any other file', () => {
    const isKept = ({ mimeType }: { readonly mimeType: string }) =>
      mediaHeaders({ file: '', size: 1, mimeType })['Content-Type'] === mimeType;
    const others = mediaCorpus.filter((file) => !isKept(file)).map(({ name }) => name);
    expect(others).toEqual(['page.html', 'page.css', 'page.js', 'logo.svg', 'data.xml', 'places.kml', 'track.gpx']);
  });
});

const FILE_BYTES = 50_000_000;
const TIMEOUT_MS = 1_000;
const LIMITS = { tickMs: TIMEOUT_MS / 4, ticks: 4, bytes: 2_000_000 };
const PAUSES = 25;
const PAUSE_MS = 100;
/** Node's sockets buffer 64 KB at a time. */
const CRUMB_MS = 60;

describe('a download', () => {
  const dataDir = freshFolder();
  let path: string;
  let server: ReturnType<typeof createAdaptorServer>;
  let socket: Socket;

  beforeEach(async () => {
    const spool = new Spool(dataDir, { spoolMaxBytes: 1e9, spoolSessionMaxBytes: 1e9, minFreeDiskBytes: 0 }, log);
    mkdirSync(join(spool.dir, 'main'));
    path = join(spool.dir, 'main', 'file');
    writeFileSync(path, '');
    truncateSync(path, FILE_BYTES);
    const app = new Hono<ServerEnv>();
    app.use((c, next) => {
      c.set('caller', operator('open', new AbortController().signal));
      return next();
    });
    app.get('/', (c) => mediaResponse(c, 'main', { file: 'file', size: FILE_BYTES, mimeType: 'image/png' }, spool));
    server = createAdaptorServer({ fetch: app.fetch });
    const slowReaders = new SlowReaders(LIMITS);
    server.on('request', (_, response) => slowReaders.watch(response));
    socket = connect(await listening(server), '127.0.0.1');
    socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  });
  afterEach(async () => {
    socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  const isOpen = () =>
    readdirSync('/proc/self/fd').some((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path);
      } catch {
        return false; // Closed in the meantime.
      }
    });

  it('that is not read is closed, and its file removed', async () => {
    socket.pause();
    await eventually(() => expect(isOpen()).toBe(true));
    await eventually(() => expect(isOpen()).toBe(false));
    expect(readdirSync(join(dataDir, 'spool', 'main'))).toEqual([]);
    let received = 0;
    socket.on('data', (bytes) => {
      received += bytes.length;
    });
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received).toBeLessThan(FILE_BYTES);
  });

  it('that is read in tiny pieces is closed, too', async () => {
    const reader = socket;
    let received = 0;
    reader.on('data', async (bytes) => {
      received += bytes.length;
      reader.pause();
      await pace(CRUMB_MS);
      reader.resume();
    });
    await new Promise((resolve) => reader.once('close', resolve));
    expect(received).toBeLessThan(FILE_BYTES);
    await eventually(() => expect(isOpen()).toBe(false));
  });

  it('that is read slowly, but fast enough, is not', async () => {
    const startedAt = Date.now();
    let [received, pauses] = [0, 0];
    socket.on('data', async (bytes) => {
      received += bytes.length;
      if (received < (pauses * FILE_BYTES) / PAUSES) return;
      pauses += 1;
      socket.pause();
      await pace(PAUSE_MS);
      socket.resume();
    });
    await eventually(() => expect(received).toBeGreaterThanOrEqual(FILE_BYTES));
    expect(Date.now() - startedAt).toBeGreaterThan(2 * TIMEOUT_MS);
  });
});
