import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sizeOf } from '@chat-web/gateway/tools';
import { ADA, BEN, eventually, figure, takes } from '@chat-web/testing';
import { archiveOf, move, Stack } from '@chat-web/testing/stack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MB = 1_048_576;
const PIECE_BYTES = 2_000;

/** Tests on two gateways and one network, each continuing from the previous one. */
let first: Stack;
let second: Stack;
beforeAll(async () => {
  first = await Stack.start();
  second = await Stack.start({ sharesSimulatorOf: first });
  await first.link('main', ADA);
});
afterAll(async () => {
  await second[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
});

const devices = async () => (await first.phones.account(ADA)).devices;
const view = (stack: Stack) => stack.client.getSessionStatus({ id: 'main' });

describe('a session that moves', () => {
  it('is ready on the other gateway without a QR, and stays away from the first', async () => {
    const linked = await devices();
    const disk = await sizeOf(join(first.dataDir, 'sessions/main'));
    const startedAt = performance.now();
    const bytes = await move(first, second, 'main');
    await second.untilStatus('main', 'ready');
    const seconds = (performance.now() - startedAt) / 1_000;
    figure(
      'move',
      `${(bytes / 1_024).toFixed(0)} KB of ${(disk / MB).toFixed(1)} MB, ready after ${seconds.toFixed(1)} s`,
    );
    expect(bytes).toBeLessThan(MB);
    expect(await view(first)).toMatchObject({ status: 'moved', reason: 'MOVED', restarts: 0 });
    expect((await devices()).map(({ id }) => id)).toEqual(linked.map(({ id }) => id));
    await expect(first.client.startSession({ id: 'main' })).rejects.toMatchObject({ code: 'session_moved' });
    await expect(first.client.stopSession({ id: 'main' })).rejects.toMatchObject({ code: 'session_moved' });
    await expect(first.client.restartSession({ id: 'main' })).rejects.toMatchObject({ code: 'session_moved' });
    await expect(
      first.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'from nowhere' }),
    ).rejects.toMatchObject({ code: 'session_not_ready' });
  });

  it('stays away after a crash of the first gateway, and is listed there', async () => {
    await first.gateway.end('SIGKILL');
    await first.restartGateway();
    expect((await first.client.listSessions()).sessions).toMatchObject([{ id: 'main', status: 'moved' }]);
  });

  it('answers a repeated send on the new gateway with the response of the old one', async () => {
    const text = { id: 'main', type: 'text', to: BEN, body: 'once' } as const;
    const sent = await second.client.sendMessage(text, { idempotencyKey: 'moves along' });
    await move(second, first, 'main');
    expect(await first.client.sendMessage(text, { idempotencyKey: 'moves along' })).toEqual(sent);
    await first.untilStatus('main', 'ready');
  });

  it('is exported again, unchanged, if the archive did not arrive', async () => {
    const cut = await first.client.exportSession({ id: 'main' });
    await cut.data.cancel();
    const again = await archiveOf(first, 'main');
    expect(again.length).toBe(cut.size);
    await second.client.importSession({ id: 'main', archive: again, contentDigest: cut.contentDigest });
    await second.untilStatus('main', 'ready');
  });

  it('cannot be imported where it exists, or from a stale archive', async () => {
    const archive = await archiveOf(first, 'main');
    const importTo = (stack: Stack, id = 'main') => stack.client.importSession({ id, archive });
    await expect(importTo(second)).rejects.toMatchObject({ code: 'session_exists', status: 409 });
    await expect(importTo(first)).rejects.toMatchObject({ code: 'stale_export', status: 409 });
    await expect(importTo(second, 'other')).rejects.toMatchObject({ code: 'invalid_archive', status: 422 });
    const changed = second.client.importSession({ id: 'x', archive, contentDigest: `sha-256=:${'A'.repeat(43)}=:` });
    await expect(changed).rejects.toMatchObject({ code: 'invalid_archive' });
    await archiveOf(second, 'main');
    await expect(importTo(second)).rejects.toMatchObject({ code: 'stale_export' });
    expect((await second.client.listSessions()).sessions).toMatchObject([{ id: 'main', status: 'moved' }]);
    expect(await readdir(join(second.dataDir, 'arriving'))).toEqual([]);
  });

  it('runs again where it is taken back, and its archive is stale from then on', async () => {
    const archive = await archiveOf(second, 'main');
    await second.client.startSession({ id: 'main', takeBack: true });
    await second.untilStatus('main', 'ready');
    await second.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'taken back' });
    await archiveOf(second, 'main');
    await expect(second.client.importSession({ id: 'main', archive })).rejects.toMatchObject({ code: 'stale_export' });
    await second.client.startSession({ id: 'main', takeBack: true });
    await second.untilStatus('main', 'ready');
  });

  it('is forgotten with DELETE without being unlinked', async () => {
    expect(await first.client.deleteSession({ id: 'main' })).toEqual({ id: 'main', status: 'removed' });
    await expect(view(first)).rejects.toMatchObject({ code: 'session_not_found' });
    expect(await view(second)).toMatchObject({ status: 'ready' });
    expect(await devices()).toHaveLength(1);
    await move(second, first, 'main');
    await first.untilStatus('main', 'ready');
  });

  it('replaces a session that shows its QR', async () => {
    await second.client.deleteSession({ id: 'main' });
    expect(await second.client.startSession({ id: 'main' })).toMatchObject({ status: 'qr' });
    await expect(second.client.exportSession({ id: 'main' })).rejects.toMatchObject({ code: 'session_not_exportable' });
    await move(first, second, 'main');
    await second.untilStatus('main', 'ready');
    expect(await first.phones.account(ADA)).toMatchObject({ devices: [{}], unlinks: [] });
  });

  it('continues where it is if it cannot be archived', async () => {
    const stray = join(second.dataDir, 'sessions/main/session/Default/IndexedDB/.stray');
    await writeFile(stray, '');
    await expect(second.client.exportSession({ id: 'main' })).rejects.toMatchObject({
      code: 'session_not_exportable',
      message: expect.stringContaining('no browser creates'),
    });
    await second.untilStatus('main', 'ready');
    await rm(stray);
  });

  it('arrives at the same time as another one', async () => {
    await second.link('other', BEN);
    const archives = [await archiveOf(second, 'main'), await archiveOf(second, 'other')];
    const ids = ['main', 'other'];
    await Promise.all(ids.map((id, at) => first.client.importSession({ id, archive: slowly(archives[at] as Buffer) })));
    for (const id of ids) await first.untilStatus(id, 'ready');
    expect(await first.client.stopSession({ id: 'main' })).toEqual({ id: 'main', status: 'stopped' });
  });

  it('loses its link if an old copy is taken back after it has run elsewhere', async () => {
    await archiveOf(first, 'main');
    expect(await first.client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'moved' });
    await second.client.startSession({ id: 'main', takeBack: true });
    await eventually(async () => expect((await first.phones.account(ADA)).unlinks).toHaveLength(1));
    await second.untilStatus('main', 'qr');
  });
});

/** In some pieces. */
function slowly(bytes: Buffer): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull: async (pieces) => {
      await takes(50);
      pieces.enqueue(new Uint8Array(bytes.subarray(at, at + PIECE_BYTES)));
      at += PIECE_BYTES;
      if (at >= bytes.length) pieces.close();
    },
  });
}
