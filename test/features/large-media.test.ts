import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Download } from '@chat-web/protocol';
import {
  ADA,
  BEN,
  browserMainsOn,
  downloadedBytes,
  eventually,
  listening,
  pace,
  patternBytes,
  sha256,
  withRoom,
} from '@chat-web/testing';
import { Stack, stanzaOf } from '@chat-web/testing/stack';
import { expect, it, onTestFinished } from 'vitest';

const SIZE = 40_000_000;
const hashOf = async (download: Download | null) => sha256(await downloadedBytes(download));

it('media of 40 MB arrive unchanged when sent, received, and sent by url', async () => {
  const bytes = patternBytes(SIZE);
  const hash = sha256(bytes);
  const base64 = Buffer.from(bytes).toString('base64');
  const server = createServer((_, response) => response.end(bytes));
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${await listening(server)}`;
  await using stack = await Stack.start({ settings: { CHAT_WEB_MEDIA_HOSTS: host } });
  await stack.link('main', ADA);
  const events = await stack.listen('main');
  const onBensPhone = (id: string) => eventually(() => stack.phones.media(BEN, stanzaOf(id)));

  const document = { id: 'main', type: 'document', to: BEN } as const;
  const out = await stack.client.sendMessage({ ...document, base64, filename: 'big.bin' });
  expect(await onBensPhone(out.id)).toMatchObject({ size: SIZE, sha256: hash });
  expect(await hashOf(await stack.client.getMedia({ id: 'main', messageId: out.id }))).toBe(hash);

  const media = { kind: 'document', base64, mimeType: 'application/x-test', filename: 'in.bin' } as const;
  const inbound = await stack.phones.send(BEN, { to: ADA, media });
  const { id } = await events.until('message', (message) => stanzaOf(message.id) === inbound.id);
  expect(await hashOf(await stack.client.getMedia({ id: 'main', messageId: id }))).toBe(hash);

  const byUrl = await stack.client.sendMessage({ ...document, url: `http://${host}/big`, filename: 'url.bin' });
  expect(await onBensPhone(byUrl.id)).toMatchObject({ size: SIZE, sha256: hash });
  expect(await stack.spooled()).toEqual([]);
});

it('a download whose browser is killed fails at once, and leaves nothing', async () => {
  await using stack = await Stack.start();
  await stack.link('main', ADA);
  const events = await stack.listen('main');
  const base64 = Buffer.from(patternBytes(SIZE)).toString('base64');
  await stack.phones.send(BEN, { to: ADA, media: { kind: 'document', base64, mimeType: 'application/x-test' } });
  const { id } = await events.until('message');

  const profile = join(stack.dataDir, 'sessions', 'main', 'session');
  let outcome = '';
  const download = stack.client.getMedia({ id: 'main', messageId: id }).then(
    () => (outcome = 'downloaded'),
    ({ code }: { code: string }) => (outcome = code),
  );
  while (outcome === '' && (await stack.spooled()).length === 0) await pace(1); // The file exists from the first byte on.
  expect(outcome).toBe('');
  const killedAt = Date.now();
  for (const pid of browserMainsOn(profile)) process.kill(pid, 'SIGKILL');
  expect(await download).toBe('session_lost');
  expect(Date.now() - killedAt).toBeLessThan(withRoom(5_000));
  await stack.untilStatus('main', 'ready');
  expect(await stack.spooled()).toEqual([]);
  expect(await hashOf(await stack.client.getMedia({ id: 'main', messageId: id }))).toBe(
    sha256(Buffer.from(base64, 'base64')),
  );
});
