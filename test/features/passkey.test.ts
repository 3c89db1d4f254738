import { createPasskey } from '@chat-web/simulator';
import { ADA, rawRequest, withRoom } from '@chat-web/testing';
import { ownerPage, plugIn } from '@chat-web/testing/browser';
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

  it.each([true, false])(
    'is reported at each step after it, until the last one links: test ids %s',
    async (testIds) => {
      await using stack = await Stack.start({ simulator: { testIds }, browserArgs: ['--remote-debugging-port=0'] });
      const { client, phones } = stack;
      const passkey = createPasskey();
      await phones.registerPasskey(ADA, passkey.registration);
      await phones.handOff(ADA, 'held');
      const { qr = '' } = await client.startSession({ id: 'main' });
      const events = await stack.listen('main');
      const page = await ownerPage(stack.dataDir);
      await plugIn(page, passkey);
      const press = (name: string) => page.locator(`::-p-aria([name="${name}"][role="button"])`).click();
      const untilAsked = async (todo: RegExp) => {
        const { message: asked } = await events.until('passkey_required', ({ message }) => todo.test(message));
        const status = await client.getSessionStatus({ id: 'main' });
        expect(status).toMatchObject({ status: 'qr', reason: 'PASSKEY_REQUIRED', message: asked, restarts: 0 });
        await expect(client.getQr({ id: 'main' })).rejects.toMatchObject({ code: 'qr_not_available' });
      };
      await phones.scan(ADA, qr);
      await untilAsked(/chat-web link/);
      await press('Continue');
      await untilAsked(/confirm on the phone/);
      const { code } = await phones.continueLinking(ADA);
      await untilAsked(/compare the code/);
      const shown = await page.$eval('[role=status]', (element) => element.textContent);
      expect(shown).toBe(`${code.slice(0, 4)}-${code.slice(4)}`);
      expect((await phones.account(ADA)).devices).toEqual([]);
      await press('Confirm');
      await stack.untilStatus('main', 'ready');
      await page.browser().disconnect();
      expect(events.all('passkey_required')).toHaveLength(3);
      expect(await phones.account(ADA)).toMatchObject({ devices: [{}], passkeyAnswers: [{}] });
    },
  );
});
