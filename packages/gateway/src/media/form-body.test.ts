import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Operation, operations } from '@chat-web/protocol';
import { freshFolder } from '@chat-web/testing/hooks';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { readForm, readFormValues } from './form-body.ts';
import { Spool } from './spool.ts';
import { MAX_REST_BYTES } from './upload-body.ts';

const dataDir = freshFolder();
const limits = { spoolMaxBytes: 1e9, spoolSessionMaxBytes: 1e6, minFreeDiskBytes: 0 };
let spool: Spool;
beforeEach(() => {
  spool = new Spool(dataDir, limits, pino({ enabled: false }));
});
const createFile = () => spool.create('main', { isHashed: true });
const nothingLeft = () => expect([readdirSync(spool.dir), spool.bytes]).toEqual([[], 0]);

type Part = readonly [name: string, value: string | Blob, filename?: string];

/** A form as the platform writes it. */
async function encoded(parts: readonly Part[]) {
  const form = new FormData();
  for (const [name, value, filename] of parts) {
    if (value instanceof Blob) form.append(name, value, filename);
    else form.append(name, value);
  }
  const response = new Response(form);
  const type = response.headers.get('Content-Type') ?? '';
  return { bytes: Buffer.from(await response.arrayBuffer()), type };
}

function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(parts: readonly Part[], size = 65_536) {
  const { bytes, type } = await encoded(parts);
  const { rest, upload } = await readForm(pieces(bytes, size), type, createFile);
  return { fields: JSON.parse(rest.toString()), upload };
}

const png = new Blob([Buffer.from('\x89PNG\r\n\x1a\n\r\n--\0')], { type: 'image/png' });
const image: readonly Part[] = [
  ['type', 'image'],
  ['file', png, 'März 100%.png'],
  ['caption', 'a "b"\r\n日本'],
];

describe('readForm', () => {
  it('returns the fields, and stores the file with its name and type, for any chunk sizes', async () => {
    for (const size of [1, 2, 3, 7, 64, 100_000]) {
      const { fields, upload } = await read(image, size);
      expect(fields).toEqual({ type: 'image', caption: 'a "b"\r\n日本', base64: '' });
      expect(upload?.file).toMatchObject({ size: png.size, mimeType: 'image/png', filename: 'März 100%.png' });
      expect(readFileSync(join(spool.dir, upload?.file.file ?? ''))).toEqual(Buffer.from(await png.arrayBuffer()));
      await upload?.remove();
    }
    nothingLeft();
  });

  it('reports no type of a file that has none, or plain text: its name and content tell more', async () => {
    for (const type of ['', 'text/plain']) {
      const file = new Blob(['%PDF-1.7'], { type });
      const { bytes, type: boundary } = await encoded([['file', file, 'a.pdf']]);
      const untyped = Buffer.from(
        bytes.toString('latin1').replace(/Content-Type: application\/octet-stream\r\n/, ''),
        'latin1',
      );
      const { upload } = await readForm([untyped], boundary, createFile);
      expect(upload?.file).toMatchObject({ mimeType: undefined, filename: 'a.pdf' });
      await upload?.remove();
    }
  });

  it.each<[what: string, issue: string, parts: readonly Part[]]>([
    ['two files', 'file must occur only once', [...image, ['file', png, 'b.png']]],
    ['a file with another name', 'file must be the name of the part with the file', [['image', png, 'a.png']]],
    ['base64', 'base64 must be a file in a form, in the part file', [['base64', 'AAAA'], ...image]],
    ['a field twice', ' each part of the form must occur only once', [...image, ['caption', 'b']]],
    ['many parts', ' the form must not have more than 64 parts', Array.from({ length: 65 }, (_, n) => [`a${n}`, ''])],
  ])('refuses %s, and leaves no file', async (_, issue, parts) => {
    for (const size of [1, 100_000]) {
      const error = await read(parts, size).catch((error) => error);
      expect(error.code).toBe('invalid_request');
      expect(error.issues.map(({ path, message }: Record<string, string>) => `${path} ${message}`)).toEqual([issue]);
    }
    nothingLeft();
  });

  it('refuses a form that is cut off anywhere, and leaves no file', async () => {
    const { bytes, type } = await encoded(image);
    const end = bytes.lastIndexOf('--') + 2;
    for (let length = 0; length < end; length += 1) {
      const cut = readForm(pieces(bytes.subarray(0, length), 50), type, createFile);
      await expect(cut, `after ${length} bytes`).rejects.toMatchObject({ code: 'invalid_request' });
    }
    nothingLeft();
  });

  it.each(['multipart/form-data', 'multipart/form-data; boundary=other'])(
    'refuses a form of the type %s',
    async (type) => {
      const { bytes } = await encoded(image);
      await expect(readForm([bytes], type, createFile)).rejects.toMatchObject({ code: 'invalid_request' });
      nothingLeft();
    },
  );

  it('refuses more text than fits beside a file', async () => {
    const long = 'x'.repeat(MAX_REST_BYTES / 2);
    for (const text of [[long, long], [long + long + long]]) {
      const parts = text.map((value, n): Part => [`field${n}`, value]);
      await expect(read([...image, ...parts])).rejects.toMatchObject({ code: 'body_too_large' });
    }
    nothingLeft();
  });

  it('passes on the error of the connection, of the spool and of its quota, and leaves no file', async () => {
    const { bytes, type } = await encoded([['file', new Blob([Buffer.alloc(3e6)]), 'a.bin']]);
    async function* broken() {
      yield bytes.subarray(0, 2_000);
      throw new Error('aborted');
    }
    await expect(readForm(broken(), type, createFile)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(readForm(pieces(bytes, 65_536), type, createFile)).rejects.toMatchObject({ code: 'rate_limited' });
    const full = () => Promise.reject(new Error('no room'));
    await expect(readForm(pieces(bytes, 65_536), type, full)).rejects.toThrow('no room');
    nothingLeft();
  });
});

it('reads the values of a form by what they must be', () => {
  const { body: schema } = operations.sendMessage as Operation;
  if (!schema) throw new Error('sendMessage has no body');
  const values = { caption: 'true', viewOnce: 'true', mentions: '["12025550102"]', markRead: 'no', filename: '12' };
  const body: Record<string, unknown> = { type: 'image', to: '12025550102', url: 'https://example.org/a', ...values };
  readFormValues(body, schema);
  expect(body).toMatchObject({ ...values, viewOnce: true, mentions: ['12025550102'] });
});
