import { setTimeout as delay } from 'node:timers/promises';
import { ADA, BEN, figure, pace, seconds } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

const CODE_MS = 180_000;
const LATE_MS = 10_000;

it('an expired pairing code is renewed twice, and each can be typed; then the QR is shown again', async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_QR_TIMEOUT_SECONDS: '3600' } });
  const { client, phones } = stack;
  for (const id of ['typed', 'left']) await client.startSession({ id });
  const [typed, left] = [await stack.listen('typed'), await stack.listen('left')];
  const startedAt = Date.now();
  const first = await client.requestPairingCode({ id: 'typed', phoneNumber: ADA });
  await client.requestPairingCode({ id: 'left', phoneNumber: BEN });

  const second = await typed.until('pairing_code', ({ code }) => code !== first.code, CODE_MS + LATE_MS);
  const renewedMs = Date.now() - startedAt;
  await expect(phones.pair(ADA, first.code)).rejects.toThrow();
  await pace(2_000);
  await phones.pair(ADA, second.code);
  await stack.untilStatus('typed', 'ready');

  await left.until('pairing_code', () => left.all('pairing_code').length === 3, 2 * CODE_MS);
  await left.until('qr', () => left.all('qr').length === 2, CODE_MS + LATE_MS);
  // A fourth code would come by now.
  await delay(CODE_MS / 3);
  expect(left.all('pairing_code')).toHaveLength(3);
  await phones.scan(BEN, (await client.getQr({ id: 'left' })).qr);
  await stack.untilStatus('left', 'ready');

  for (const id of ['typed', 'left']) expect(await client.getSessionStatus({ id })).toMatchObject({ restarts: 0 });
  expect(typed.all('pairing_code')).toHaveLength(2); // None during the link or after it.
  figure('pairing code', `renewed after ${seconds(renewedMs)}, QR shown again after three`);
}, 900_000);
