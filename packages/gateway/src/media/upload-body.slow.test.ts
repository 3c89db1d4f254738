import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostileBodies, patternBytes } from '@chat-web/testing';
import { freshFolder } from '@chat-web/testing/hooks';
import fc from 'fast-check';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { Spool } from './spool.ts';
import { MAX_REST_BYTES, readUploadBody } from './upload-body.ts';
import { MAX_DEPTH, MAX_VALUES } from './upload-scanner.ts';

const log = pino({ enabled: false });

const dataDir = freshFolder();
let spool: Spool;
beforeEach(() => {
  spool = new Spool(dataDir, { spoolMaxBytes: 1e9, spoolSessionMaxBytes: 1e9, minFreeDiskBytes: 0 }, log);
});

const createFile = () => spool.create('main');

async function* chunksOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, chunkSize = 7) {
  const { rest, upload } = await readUploadBody(chunksOf(text, chunkSize), createFile);
  const file = upload?.file;
  return { rest: rest.toString(), bytes: file && readFileSync(join(spool.dir, file.file)), size: file?.size };
}

describe('readUploadBody', () => {
  it('returns the rest of the JSON and stores the bytes in a file, for any chunk sizes', async () => {
    const other = fc.dictionary(fc.string(), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(
        other,
        fc.uint8Array({ maxLength: 200 }),
        fc.integer({ min: 1, max: 40 }),
        async (fields, data, size) => {
          const base64 = Buffer.from(data).toString('base64');
          const { base64: _, ...before } = fields;
          const body = JSON.stringify({ ...before, nested: { base64: 'not this' }, base64, after: ['base64', base64] });
          const { rest, bytes, size: decodedSize } = await read(body, size);
          expect(JSON.parse(rest)).toEqual({ ...JSON.parse(body), base64: '' });
          if (base64) expect(bytes?.equals(data)).toBe(true);
          expect(decodedSize ?? 0).toBe(data.length);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('does not change a body without an upload, JSON or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string()), fc.integer({ min: 1, max: 9 }), async (text, size) => {
        fc.pre(!text.includes('"base64"'));
        expect(await read(text, size)).toEqual({
          rest: Buffer.from(text).toString(),
          bytes: undefined,
          size: undefined,
        });
      }),
    );
  });

  it('accepts escaped slashes, as some encoders write them', async () => {
    for (const size of [1, 2, 3, 100]) {
      expect((await read('{"base64":"\\/\\/79"}', size)).bytes).toEqual(Buffer.from('//79', 'base64'));
    }
  });

  const BYTES = Buffer.from('++//8J+Yuw==', 'base64');
  it.each<[name: string, written: string, type?: string]>([
    ['a data URL', 'data:image/png;base64,++//8J+Yuw==', 'image/png'],
    ['a data URL with escapes', 'DATA:Image\\/PNG;charset=x;BASE64,++//8J+Yuw==', 'image/png'],
    ['a data URL without a type', 'data:;base64,++//8J+Yuw=='],
    ['a data URL with a type that is invalid', 'data:a<b>/c;base64,++//8J+Yuw=='],
    ['the URL-safe alphabet', '--__8J-Yuw'],
    ['both alphabets', '-+_/8J-Yuw=='],
    ['no padding', '++//8J+Yuw'],
    ['escaped line breaks', '++//\\r\\n8J+Y\\nuw==\\n'],
    ['line breaks, tabs and blanks', ' ++/\n/8J\t+Yu w==\r\n'],
    ['codes, as .NET and Gson write them', '\\u002b\\u002B\\/\\/8J\\u002bYuw\\u003d\\u003d'],
  ])('accepts %s, for any chunk sizes', async (_, base64, mimeType) => {
    for (const size of [1, 2, 3, 5, 100]) {
      const { upload } = await readUploadBody(chunksOf(`{"base64":"${base64}"}`, size), createFile);
      expect(upload && readFileSync(join(spool.dir, upload.file.file))).toEqual(BYTES);
      expect(upload?.file.mimeType).toBe(mimeType);
    }
  });

  it.each([
    'data:image/png,AAAA',
    'data:image/png;base64',
    'data:AAAA',
    'data:',
    `data:image/png;x=${'x'.repeat(300)};base64,AAAA`,
    'xdata:image/png;base64,AAAA',
    'AAAAdata:image/png;base64,AAAA',
    'AA=A',
    'A',
    'AAAAA',
    'AA\\bAA',
    'AA\\\\AA',
    'AA\\u00e4A',
    'AA\\u00zzA',
    'AA\\u00',
    'AAA\\',
    'AAA*',
    'AAA.',
    'A===',
    '=',
    'AAAA=',
    'AA==AAAA',
    'ä',
    'null',
    'NaN',
    'None',
    'undefined',
    '[object Object]',
  ])('rejects %j, naming the field, and leaves no file', async (base64) => {
    for (const size of [1, 3, 100]) {
      await expect(read(`{"base64":"${base64}"}`, size)).rejects.toMatchObject({
        code: 'invalid_request',
        issues: [{ path: 'base64' }],
      });
    }
    expect(readdirSync(spool.dir)).toEqual([]);
  });

  it('rejects a duplicate upload, and a body that is too large beside it', async () => {
    await expect(read('{"base64":"AAAA","base64":"AAAA"}')).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(read(`{"x":"${'x'.repeat(1_100_000)}"}`, 65_536)).rejects.toMatchObject({ code: 'body_too_large' });
    expect(readdirSync(spool.dir)).toEqual([]);
  });

  it('takes about as long for a body full of escapes as for one without', async () => {
    const costOf = async (base64: string) => {
      const before = process.cpuUsage();
      expect((await read(`{"base64":"${base64}"}`, 65_536)).size).toBe(1_500_000);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const minOf = async (base64: string) => Math.min(await costOf(base64), await costOf(base64), await costOf(base64)); // The machine may be busy.
    const plain = await minOf('/'.repeat(2_000_000));
    expect(await minOf('\\/'.repeat(2_000_000))).toBeLessThan(20 * Math.max(plain, 10_000));
  });

  it('decodes uploads of many blocks, escaped or not, for any chunk sizes', async () => {
    const data = Buffer.from(patternBytes(300_001));
    for (const base64 of [data.toString('base64'), data.toString('base64').replaceAll('/', '\\/')]) {
      for (const size of [3, 1_021, 65_536, 65_537, 1_000_000]) {
        const { rest, bytes } = await read(`{"a":[1],"base64":"${base64}","b":{}}`, size);
        expect(rest).toBe('{"a":[1],"base64":"","b":{}}');
        expect(bytes?.equals(data)).toBe(true);
      }
    }
  });

  it('accepts anything below the limits', async () => {
    const deep = `{"x":${'['.repeat(MAX_DEPTH - 1)}${']'.repeat(MAX_DEPTH - 1)}}`;
    const many = `{"x":[0${',0'.repeat(MAX_VALUES - 2)}]}`;
    const long = `{"x":"${'\u00e4'.repeat(65_536)}"}`;
    for (const body of [deep, many, long]) expect((await read(body, 65_536)).rest).toBe(body);
    await expect(read(deep.replace('[]', '[[]]'))).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(read(many.replace('[0', '[0,0'), 65_536)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(read(`{"x":"${' '.repeat(MAX_REST_BYTES)}"}`, 65_536)).rejects.toThrow(`${MAX_REST_BYTES} bytes`);
  });

  const refused = hostileBodies.filter(({ answers, chunkBytes }) => !answers.includes(404) && !chunkBytes);
  it.each(refused)('reads no more of $name than the memory limit', async ({ answers, make }) => {
    let taken = 0;
    async function* counted() {
      for await (const chunk of chunksOf(make(10_485_760).toString(), 65_536)) {
        taken += chunk.length;
        yield chunk;
      }
    }
    const code = answers.includes(413) ? 'body_too_large' : 'invalid_request';
    await expect(readUploadBody(counted(), createFile)).rejects.toMatchObject({ code });
    expect(taken).toBeLessThanOrEqual(MAX_REST_BYTES + 65_536);
    expect(readdirSync(spool.dir)).toEqual([]);
  });

  it('leaves no file when the caller aborts', async () => {
    async function* broken() {
      yield Buffer.from('{"base64":"AAAAAAAA');
      throw new Error('aborted');
    }
    await expect(readUploadBody(broken(), createFile)).rejects.toThrow('aborted');
    expect(readdirSync(spool.dir)).toEqual([]);
    expect(spool.bytes).toBe(0);
  });

  it('leaves no file and no reservation when the quota is exceeded', async () => {
    const small = new Spool(dataDir, { spoolMaxBytes: 3_000, spoolSessionMaxBytes: 2_000, minFreeDiskBytes: 0 }, log);
    const take = (session: string, bytes: number) =>
      readUploadBody(chunksOf(`{"base64":"${'AAAA'.repeat(bytes / 3)}"}`, 400), () => small.create(session));
    const { upload } = await take('main', 1_500);
    await expect(take('main', 600)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 5 });
    await expect(take('other', 1_800)).rejects.toMatchObject({ code: 'insufficient_resources' });
    expect(small.bytes).toBe(1_500);
    await upload?.remove();
    expect([readdirSync(small.dir), small.bytes]).toEqual([[], 0]);
    await (await take('main', 1_800)).upload?.remove();
  });
});
