import { setTimeout as delay } from 'node:timers/promises';
import { ADA, BEN, CARLA, DEV, eventually, FARID, figure, GRACE, pace, seconds } from '@chat-web/testing';
import { readQr, Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

const OLDEST_QR_MS = 60_000;
const NEVER_MS = 3_600_000;
/** When a worker gives up on a page that does not refresh its QR, with a margin. */
const QR_REFRESHES_END_MS = 57_000 + 4 * 15_000 + 5_000;

// These tests mostly wait.
describe.concurrent('the refresh of a QR: it', () => {
  it('may be scanned before it is published: the session is not restarted for a missing QR refresh', async () => {
    await using stack = await Stack.start({ settings: { CHAT_WEB_START_CONCURRENCY: '1' } });
    const numbers = [ADA, BEN, CARLA, DEV, FARID, GRACE];
    for (const [index, number] of numbers.entries()) {
      const starting = stack.client.startSession({ id: `s${index}` });
      let shown: string | undefined;
      while (!shown) {
        shown = (await stack.phones.pages()).find((page) => page.qr && !page.number)?.qr;
        if (!shown) await pace(2);
      }
      await stack.phones.scan(number, shown);
      await starting;
      await stack.untilStatus(`s${index}`, 'ready');
    }
    const { sessions: before } = await stack.client.listSessions();
    // The timers of the worker run at this pace.
    await delay(QR_REFRESHES_END_MS);
    const { sessions } = await stack.client.listSessions();
    expect(sessions.map(({ id, status, restarts, since }) => ({ id, status, restarts, since }))).toEqual(
      before.map(({ id, since }) => ({ id, status: 'ready', restarts: 0, since })),
    );
  });

  it.each([true, false])(
    'is not requested while the page requires a passkey: the session is undisturbed (test ids %s)',
    async (testIds) => {
      await using stack = await Stack.start({ simulator: { testIds } });
      await stack.phones.requirePasskey(ADA, true);
      const { qr = '' } = await stack.client.startSession({ id: 'main' });
      const events = await stack.listen('main');
      await stack.phones.scan(ADA, qr);
      await events.until('passkey_required');
      const before = await stack.client.getSessionStatus({ id: 'main' });
      // The same here.
      await delay(QR_REFRESHES_END_MS);
      const { status, reason, restarts, since } = await stack.client.getSessionStatus({ id: 'main' });
      expect({ status, reason, restarts, since }).toEqual({
        status: 'qr',
        reason: 'PASSKEY_REQUIRED',
        restarts: 0,
        since: before.since,
      });
      expect(events.events.map(({ name }) => name)).toEqual(['qr', 'passkey_required']);
      const [page] = await stack.phones.pages();
      expect([page?.passkeyScreen, page?.qr]).toEqual(['passkey_prompt', undefined]); // No new QR was requested.
    },
  );

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
});
