import { ADA, rawRequest, withRoom } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

describe('an account with a passkey', () => {
  const message = expect.stringMatching(/^linking needs the passkey .*chat-web link/);

  it.each([true, false])(
    'is reported within 5 s of the scan, and the session keeps waiting: test ids %s',
    async (testIds) => {
      await using stack = await Stack.start({ simulator: { testIds } });
      const { client, phones } = stack;
      await phones.requirePasskey(ADA, true);
      const { qr = '' } = await client.startSession({ id: 'main' });
      const events = await stack.listen('main');
      await phones.scan(ADA, qr);
      expect(await events.until('passkey_required', undefined, withRoom(5_000))).toEqual({ message });
      const asked = { id: 'main', status: 'qr', reason: 'PASSKEY_REQUIRED', message };
      expect(await client.getSessionStatus({ id: 'main' })).toMatchObject({ ...asked, restarts: 0 });
      expect(await client.startSession({ id: 'main' })).toEqual(asked);
      await expect(client.getQr({ id: 'main' })).rejects.toMatchObject({
        code: 'qr_not_available',
        message: expect.stringContaining('passkey'),
      });
      expect(stack.gateway.log.filter((line) => line.includes('"passkey required"'))).toHaveLength(1);
      expect((await phones.account(ADA)).devices).toEqual([]);

      // It is stored for later readers. They do not get the QR.
      const later = await stack.listen('main');
      const headers = { accept: 'application/json' };
      const stored = await rawRequest(stack.gateway.url, { path: '/events?after=oldest', headers });
      expect(stored.body).toMatchObject({
        events: [{ event: 'passkey_required', session: 'main', data: { message } }],
      });
      expect(later.all('qr')).toEqual([]);

      // Another account can be linked after a restart.
      await phones.requirePasskey(ADA, false);
      const restarted = await client.restartSession({ id: 'main' });
      expect(restarted).toEqual({ id: 'main', status: 'qr', qr: expect.any(String) });
      expect(await client.getSessionStatus({ id: 'main' })).not.toHaveProperty('reason');
      await phones.scan(ADA, restarted.qr ?? '');
      await stack.untilStatus('main', 'ready');
    },
  );
});
