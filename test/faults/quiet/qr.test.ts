import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readQr } from '../../../scripts/demo-output.ts';
import { eventually } from '../../helpers/eventually.ts';
import { figure, seconds } from '../../helpers/figure.ts';
import { browsersIn, workersOf } from '../../helpers/processes.ts';
import { ADA, BEN, Stack } from '../../helpers/stack.ts';

const ROTATIONS = 30;
const ROTATION_MS = 500;
const OLDEST_QR_MS = 60_000;
const NEVER_MS = 3_600_000;
/** When a worker gives up on a page that does not refresh its QR, with a margin. */
const QR_REFRESHES_END_MS = 57_000 + 4 * 15_000 + 5_000;

// These tests mostly wait.
describe.concurrent('the QR that is shown', () => {
  it.each([
    { how: 'by itself', qrCount: 1_000 },
    { how: 'only on request, after every third QR (UNPAIRED_IDLE)', qrCount: 3 },
  ])(
    'is different after each of 30 rotations, and can be scanned: the page continues $how',
    async ({ how, qrCount }) => {
      const simulator = { qrFirstMs: ROTATION_MS, qrIntervalMs: ROTATION_MS, qrCount };
      await using stack = await Stack.start({ simulator });
      await stack.client.startSession({ id: 'main' });
      const events = await stack.listen('main');
      await eventually(() => expect(events.all('qr').length).toBeGreaterThan(ROTATIONS), 120_000);

      const texts = events.all('qr').map(readQr);
      expect(new Set(texts).size).toBe(texts.length);
      expect(texts.filter((text) => !text.startsWith('2@'))).toEqual([]);
      // The QR may change between the two reads.
      await eventually(async () => {
        const { qr } = await stack.client.getQr({ id: 'main' });
        expect(readQr(qr)).toBe(readQr(events.all('qr').at(-1) ?? ''));
      });

      // The QR may change between read and scan, as for a slow user.
      let reads = 0;
      await eventually(async () => {
        reads += 1;
        await stack.phones.scan(ADA, (await stack.client.getQr({ id: 'main' })).qr);
      });
      await stack.untilStatus('main', 'ready');
      expect(events.all('disconnected')).toEqual([]);
      figure('QR', `${texts.length - 1} rotations, ${texts.length} different QRs, scanned at read ${reads} (${how})`);
    },
  );

  it('may be scanned before it is published: the session is not restarted for a missing QR refresh', async () => {
    await using stack = await Stack.start({ settings: { CHAT_WEB_START_CONCURRENCY: '1' } });
    const numbers = [ADA, BEN, '12025550103', '12025550104', '12025550106', '12025550107'];
    for (const [index, number] of numbers.entries()) {
      const starting = stack.client.startSession({ id: `s${index}` });
      let shown: string | undefined;
      while (!shown) {
        shown = (await stack.phones.pages()).find((page) => page.qr && !page.number)?.qr;
        if (!shown) await delay(2);
      }
      await stack.phones.scan(number, shown);
      await starting;
      await stack.untilStatus(`s${index}`, 'ready');
    }
    const { sessions: before } = await stack.client.listSessions();
    await delay(QR_REFRESHES_END_MS);
    const { sessions } = await stack.client.listSessions();
    expect(sessions.map(({ id, status, restarts, since }) => ({ id, status, restarts, since }))).toEqual(
      before.map(({ id, since }) => ({ id, status: 'ready', restarts: 0, since })),
    );
  });

  it('is not requested while the page requires a passkey: the session is neither restarted nor disturbed', async () => {
    await using stack = await Stack.start();
    await stack.phones.requirePasskey(ADA, true);
    const { qr = '' } = await stack.client.startSession({ id: 'main' });
    const events = await stack.listen('main');
    await stack.phones.scan(ADA, qr);
    await events.until('passkey_required');
    const before = await stack.client.getSessionStatus({ id: 'main' });
    await delay(QR_REFRESHES_END_MS);
    const { status, reason, restarts, since } = await stack.client.getSessionStatus({ id: 'main' });
    expect({ status, reason, restarts, since }).toEqual({
      ...{ status: 'qr', reason: 'PASSKEY_REQUIRED', restarts: 0, since: before.since },
    });
    expect(events.events.map(({ name }) => name)).toEqual(['qr', 'passkey_required']);
    const [page] = await stack.phones.pages();
    expect([page?.passkeyScreen, page?.qr]).toEqual(['passkey_prompt', undefined]); // No new QR was requested.
  });

  it('is never older than 60 s, also on a page that does not refresh it', async () => {
    await using stack = await Stack.start({ simulator: { qrFirstMs: NEVER_MS } });
    await stack.client.startSession({ id: 'main' });
    const events = await stack.listen('main');
    await events.until('qr');
    let oldestMs = 0;
    await eventually(async () => {
      const [page] = await stack.phones.pages();
      oldestMs = Math.max(oldestMs, page?.qrAgeMs ?? 0);
      expect(events.all('qr')).toHaveLength(2);
    }, OLDEST_QR_MS + 10_000);

    figure('QR', `a QR that the page keeps for an hour is refreshed at an age of ${seconds(oldestMs)}`);
    expect(oldestMs).toBeLessThanOrEqual(OLDEST_QR_MS);
    const [first = '', second = ''] = events.all('qr');
    expect(readQr(second)).not.toBe(readQr(first));
    await expect(stack.phones.scan(ADA, first)).rejects.toThrow();
    await stack.phones.scan(ADA, second);
    await stack.untilStatus('main', 'ready');
  });

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
    await delay(2_000); // The session stays removed.
    expect(workersOf(stack.gateway.pid)).toEqual([]);
    expect(events.all('disconnected')).toMatchObject([{ reason: 'QR_TIMEOUT' }]);
    figure('QR', `no scan, at a limit of 10 s: stopped after ${seconds(shownMs)}, 0 processes left`);
    expect(shownMs).toBeGreaterThanOrEqual(10_000);
  });
});
