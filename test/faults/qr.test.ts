import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ADA, browsersIn, eventually, figure, rounds, seconds, workersOf } from '@chat-web/testing';
import { readQr, Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

const ROTATIONS = rounds({ few: 10, all: 30 });
const ROTATION_MS = 500;

// These tests mostly wait.
describe.concurrent('the QR that is shown', () => {
  it.each([
    { how: 'by itself', qrCount: 1_000 },
    { how: 'only on request, after every third QR (UNPAIRED_IDLE)', qrCount: 3 },
  ])(
    `is different after each of ${ROTATIONS} rotations, and can be scanned: the page continues $how`,
    async ({ how, qrCount }) => {
      const simulator = { qrFirstMs: ROTATION_MS, qrIntervalMs: ROTATION_MS, qrCount };
      await using stack = await Stack.start({ simulator });
      await stack.client.startSession({ id: 'main' });
      const events = await stack.listen('main');
      await eventually(() => expect(events.all('qr').length).toBeGreaterThan(ROTATIONS), 120_000);

      const texts = events.all('qr').map(readQr);
      expect(new Set(texts).size).toBe(texts.length);
      expect(texts.filter((text) => !text.startsWith('2@'))).toEqual([]);
      // From now on at a real page's pace: a busy machine may take longer to show a QR than it was valid until here.
      await stack.phones.configure({ qrFirstMs: 60_000, qrIntervalMs: 60_000 });
      await eventually(async () => {
        const shown = await stack.client.getQr({ id: 'main' });
        expect(readQr(shown.qr)).toBe(readQr(events.all('qr').at(-1) ?? ''));
        await stack.phones.scan(ADA, shown.qr);
      });
      await stack.untilStatus('main', 'ready');
      expect(events.all('disconnected')).toEqual([]);
      figure('QR', `${texts.length - 1} rotations, ${texts.length} different QRs (${how})`);
    },
  );

  it('is removed with its session if it is not scanned within the configured time', async () => {
    await using stack = await Stack.start({ settings: { CHAT_WEB_QR_TIMEOUT_SECONDS: '10' } });
    const startedAt = Date.now();
    await stack.client.startSession({ id: 'main' });
    const events = await stack.listen('main');
    expect(workersOf(stack.gateway.pid)).toHaveLength(1);
    await events.until('disconnected');
    const shownMs = Date.now() - startedAt;

    await eventually(() => {
      expect(workersOf(stack.gateway.pid)).toEqual([]);
      expect(browsersIn(stack.dataDir)).toEqual([]);
      expect(existsSync(join(stack.dataDir, 'sessions', 'main'))).toBe(false);
    });
    await expect(stack.client.getSessionStatus({ id: 'main' })).rejects.toMatchObject({ code: 'session_not_found' });
    await stack.settled(); // The session stays removed.
    expect(workersOf(stack.gateway.pid)).toEqual([]);
    expect(events.all('disconnected')).toMatchObject([{ reason: 'QR_TIMEOUT' }]);
    figure('QR', `no scan, at a limit of 10 s: stopped after ${seconds(shownMs)}, 0 processes left`);
    expect(shownMs).toBeGreaterThanOrEqual(10_000);
  });
});
