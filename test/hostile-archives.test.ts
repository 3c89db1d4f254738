import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ARCHIVE_FILES, type ArchiveFile, archive, eventually, manifestOf } from '@chat-web/testing';
import { sharedGateway } from '@chat-web/testing/story';
import { describe, expect, it } from 'vitest';

const TYPE = 'application/x-tar';
const GB = 1_073_741_824;
const MB = 1_048_576;

const gateway = sharedGateway({ settings: { CHAT_WEB_IMPORT_MAX_MB: '2' }, sessions: ['known'] });

async function put(body: Buffer | string, headers: Record<string, string> = {}, id = 'main') {
  const init = { method: 'PUT', body: new Blob([new Uint8Array(Buffer.from(body))]) };
  const answer = await fetch(`${gateway.url}/sessions/${id}/import`, {
    ...init,
    headers: { 'Content-Type': TYPE, ...headers },
  });
  const { code } = (await answer.json()) as { code?: string };
  return { status: answer.status, code };
}

function begin(id: string, headers: Record<string, string>, part: Buffer): ClientRequest {
  const { hostname, port } = new URL(gateway.url);
  const options = { hostname, port, method: 'PUT', path: `/sessions/${id}/import`, agent: false };
  const outgoing = request({ ...options, headers: { 'Content-Type': TYPE, ...headers } });
  outgoing.on('error', () => {});
  outgoing.write(part);
  return outgoing;
}

const arriving = () => readdir(join(gateway.dataDir, 'arriving'));

async function expectNothingChanged(): Promise<void> {
  await eventually(async () => expect(await arriving()).toEqual([]));
  expect(await readdir(join(gateway.dataDir, 'sessions'))).toEqual(['known']);
  expect(await readdir(join(gateway.dataDir, 'moves'))).toEqual([]);
  const listed = (await (await fetch(`${gateway.url}/sessions`)).json()) as { sessions: unknown[] };
  expect(listed.sessions).toMatchObject([{ id: 'known', status: 'stopped' }]);
  expect(gateway.log.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
}

const large = (bytes: number): ArchiveFile => ({
  name: 'profile/IndexedDB/x/large',
  text: randomBytes(bytes / 2).toString('hex'),
});
const withFile = (file: ArchiveFile) => archive(manifestOf([...ARCHIVE_FILES, file]), [...ARCHIVE_FILES, file]);
const INVALID = { status: 422, code: 'invalid_archive' };
const TOO_LARGE = { status: 413, code: 'body_too_large' };

describe('an import that is refused', () => {
  it.each<[string, Buffer | string, object]>([
    ['nothing', '', INVALID],
    ['text', 'x'.repeat(10_000), INVALID],
    ['another session', archive(manifestOf(ARCHIVE_FILES, { session: 'other' })), INVALID],
    ['a path outside', archive(manifestOf([...ARCHIVE_FILES, { name: '../../x', text: '' }])), INVALID],
    ['a compressed archive', gzipSync(archive()), INVALID],
    ['a truncated archive', archive().subarray(0, -1_024), INVALID],
    [
      'a state that is none',
      archive(manifestOf([{ name: 'state.jsonl', text: 'x\n' }, ...ARCHIVE_FILES.slice(1)])),
      INVALID,
    ],
    ['a manifest of 700,000 arrays', archive(`{"a":[${'[],'.repeat(690_000)}0]}`), INVALID],
    ['a lock of the browser', withFile({ name: 'profile/IndexedDB/LOCK', text: '' }), INVALID],
    ['too many bytes', withFile(large(2 * MB)), TOO_LARGE],
    ['too many bytes in its manifest', archive(manifestOf(ARCHIVE_FILES, { files: sized(3 * MB) })), TOO_LARGE],
    ['8 GB in its manifest', archive(manifestOf(ARCHIVE_FILES, { files: sized(8 * GB - 1) })), TOO_LARGE],
  ])('%s', async (_, body, expected) => {
    expect(await put(body)).toEqual(expected);
    await expectNothingChanged();
  });

  it('for its digest', async () => {
    const right = `sha-256=:${createHash('sha256').update(archive()).digest('base64')}:`;
    const wrong = `sha-512=:${'A'.repeat(86)}==:`;
    for (const name of ['Content-Digest', 'Repr-Digest']) {
      for (const field of [wrong, `${right}, ${wrong}`, `${wrong}, ${right}`])
        expect(await put(archive(), { [name]: field })).toEqual(INVALID);
      for (const field of ['', 'SHA-256=:AAAA:', 'md5=:AAAA:', 'sha-256=AAAA', `${right},`])
        expect(await put(archive(), { [name]: field })).toEqual({ status: 400, code: 'invalid_request' });
    }
    expect(await put(archive(), { 'Content-Digest': right, 'Repr-Digest': wrong })).toEqual(INVALID);
    await expectNothingChanged();
  });

  it('for its type, for an existing session, and for an invalid id', async () => {
    expect(await put(archive(), { 'Content-Type': 'application/json' })).toMatchObject({ status: 415 });
    expect(await put(archive(manifestOf(ARCHIVE_FILES, { session: 'known' })), {}, 'known')).toEqual({
      status: 409,
      code: 'session_exists',
    });
    expect(await put(archive(), {}, '..%2Fx')).toMatchObject({ status: 400 });
    await expectNothingChanged();
  });

  it('for its announced 10 GB, of which nothing is read', async () => {
    const outgoing = begin('main', { 'Content-Length': String(10 * GB) }, archive().subarray(0, 512));
    const status = await new Promise((resolve) => outgoing.on('response', (answer) => resolve(answer.statusCode)));
    expect(status).toBe(413);
    outgoing.destroy();
    await expectNothingChanged();
  });

  it('because it is cut off, at any point', async () => {
    const whole = withFile(large(MB));
    for (const bytes of [1, 512, 5_000, whole.length - 100]) {
      const outgoing = begin('main', { 'Content-Length': String(whole.length) }, whole.subarray(0, bytes));
      if (bytes > 512) await eventually(async () => expect(await arriving()).toHaveLength(1));
      outgoing.destroy();
      await expectNothingChanged();
    }
  });

  it('while the same session or too many others arrive', async () => {
    const starts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) =>
      begin(id, { 'Content-Length': '100000' }, archive(manifestOf(ARCHIVE_FILES, { session: id })).subarray(0, 4_000)),
    );
    await eventually(async () => expect(await arriving()).toHaveLength(starts.length));
    const busy = { status: 503, code: 'insufficient_resources' };
    expect(await put(archive(manifestOf(ARCHIVE_FILES, { session: 'a' })), {}, 'a')).toEqual(busy);
    expect(await put(archive())).toEqual(busy);
    for (const outgoing of starts) outgoing.destroy();
    await expectNothingChanged();
  });
});

function sized(bytes: number) {
  const { files } = manifestOf();
  return [...files, { name: 'profile/IndexedDB/x/large', bytes, sha256: '0'.repeat(64) }];
}

it('the leftovers of an interrupted import are removed when the gateway restarts', async () => {
  const outgoing = begin('main', { 'Content-Length': String(MB) }, archive().subarray(0, 4_000));
  await eventually(async () => expect(await arriving()).toHaveLength(1));
  await gateway.end('SIGKILL');
  outgoing.destroy();
  expect(await arriving()).toHaveLength(1);
  await gateway.start();
  await expectNothingChanged();
  expect(gateway.log.some((line) => line.includes('interrupted import removed'))).toBe(true);
});

it('the archive that the refused ones are made from is accepted', async () => {
  const body = archive(manifestOf(ARCHIVE_FILES, { session: 'fine' }));
  expect(await put(body, {}, 'fine')).toMatchObject({ status: 200 });
  expect(await readdir(join(gateway.dataDir, 'sessions'))).toEqual(['fine', 'known']);
});
