import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError, type MediaFile } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import { freshHandlers, messageModel } from '../testing/fake-page.ts';
import { messageHandlers } from './messages.ts';

const messageId = messageModel().id;
const ofMessage = { id: 'main', messageId };

const { context, handlers } = freshHandlers(messageHandlers);

describe('a reaction', () => {
  const sendReaction = () => handlers.sendMessage({ id: 'main', type: 'reaction', messageId, emoji: '👍' });

  it('is answered with the message reacted to', async () => {
    context.page.on('react', async () => {});
    expect(await sendReaction()).toEqual({ id: messageId, messageId, emoji: '👍' });
    expect(context.page.calls).toMatchObject([{ kind: 'change', args: [messageId, '👍', undefined] }]);
  });
});

describe('an edit', () => {
  const edit = () => handlers.editMessage({ ...ofMessage, body: 'better' });

  it('is answered with the edited message', async () => {
    context.page.on('editMessage', () => messageModel({ body: 'hello', ack: 2 }));
    expect(await edit()).toMatchObject({ id: messageId, body: 'better', ack: 2 });
    expect(context.page.calls).toMatchObject([{ kind: 'change', args: [messageId, 'better', undefined] }]);
  });

  it.each([undefined, messageModel({ t: undefined })])('that ends with %j: outcome_unknown', async (outcome) => {
    context.page.on('editMessage', () => outcome);
    await expect(edit()).rejects.toMatchObject({ code: 'outcome_unknown' });
  });
});

describe('a delete', () => {
  const remove = (forEveryone: boolean) => handlers.deleteMessage({ ...ofMessage, forEveryone });

  it('is answered with whom the message was deleted for, whatever was requested', async () => {
    for (const deletedFor of ['everyone', 'me'] as const) {
      context.page.on('deleteMessage', () => deletedFor);
      expect(await remove(true)).toEqual({ id: messageId, deletedFor });
    }
    await remove(false);
    expect(context.page.calls.map(({ kind, args }) => [kind, args[1]])).toEqual([
      ['change', true],
      ['change', true],
      ['change', false],
    ]);
  });
});

describe('media', () => {
  const bytes = Buffer.alloc(2_500_000, 'media');
  const download = async () => (await handlers.getMedia(ofMessage)) as MediaFile;
  const load = (mimeType: string | undefined, filename?: string) => {
    context.page.on('loadMedia', () => ({ size: bytes.length, mimeType, filename }));
    context.page.pieces = () => [0, 1, 2].map((n) => bytes.subarray(n * 1_000_000, (n + 1) * 1_000_000));
  };

  it('become a spool file, chunk by chunk, and are dropped from the page', async () => {
    load('image/png', 'cat.png');
    const { file, ...described } = await download();
    expect(described).toEqual({ size: bytes.length, mimeType: 'image/png', filename: 'cat.png' });
    expect(readFileSync(join(context.spoolDir, String(file))).equals(bytes)).toBe(true);
    const [, key] = context.page.callsOf('loadMedia')[0]?.args ?? [];
    expect(context.page.callsOf('dropFile')).toMatchObject([{ args: [key] }]);
  });

  it('are described without loading them, if the message says their size', async () => {
    const sha256 = `${'A'.repeat(43)}=`;
    const described = { size: 7, mimeType: 'image/png', filename: undefined, sha256 };
    context.page.on('describeMedia', () => described);
    expect(await handlers.getMedia({ ...ofMessage, describe: true })).toEqual({
      size: 7,
      mimeType: 'image/png',
      sha256,
    });
    context.page.on('describeMedia', () => ({ ...described, sha256: 'a"\r\nX-Evil: 1' }));
    expect(await handlers.getMedia({ ...ofMessage, describe: true })).toEqual({ size: 7, mimeType: 'image/png' });
    expect(context.page.callsOf('loadMedia')).toEqual([]);
    context.page.on('describeMedia', () => null);
    load('image/png');
    expect(await handlers.getMedia({ ...ofMessage, describe: true })).toMatchObject({ file: expect.any(String) });
  });

  it('with a crafted type and name contain nothing that could break a header', async () => {
    load('image/png\r\nX-Evil: 1', 'a\r\nb\0.png');
    expect(await download()).toMatchObject({ mimeType: 'image/png__X-Evil: 1', filename: 'a__b_.png' });
    load(undefined);
    expect(await download()).toMatchObject({ mimeType: 'application/octet-stream' });
  });

  it('that the page refuses are dropped from it, too', async () => {
    context.page.on('loadMedia', () => {
      throw new GatewayError('media_not_found', 'the message has no media');
    });
    await expect(download()).rejects.toMatchObject({ code: 'media_not_found' });
    expect(context.page.callsOf('dropFile')).toHaveLength(1);
  });

  it('that fail midway leave no file', async () => {
    load('image/png');
    context.page.pieces = function* () {
      yield bytes.subarray(0, 1_000_000);
      throw new GatewayError('session_lost', 'the page is gone');
    };
    await expect(download()).rejects.toMatchObject({ code: 'session_lost' });
    expect(readdirSync(context.spoolDir)).toEqual([]);
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('of size %s: client_failed', async (size) => {
    context.page.on('loadMedia', () => ({ size, mimeType: 'image/png', filename: undefined }));
    await expect(download()).rejects.toMatchObject({ code: 'client_failed' });
    expect(readdirSync(context.spoolDir)).toEqual([]);
  });

  it('release their share of the spool, even if they fail', async () => {
    context.page.on('loadMedia', () => ({ size: 6_000_000, mimeType: 'image/png', filename: undefined }));
    context.page.pieces = () => {
      throw new GatewayError('session_lost', 'the page is gone');
    };
    // The share is 10 MB: both files together would not fit.
    for (let n = 0; n < 2; n += 1) await expect(download()).rejects.toMatchObject({ code: 'session_lost' });
    load('image/png');
    for (let n = 0; n < 5; n += 1) await download();
    context.page.on('loadMedia', () => ({ size: 11_000_000, mimeType: 'image/png', filename: undefined }));
    await expect(download()).rejects.toMatchObject({ code: 'media_unavailable' });
  });
});
