import { ADA } from '@chat-web/testing';
import { sharedStack } from '@chat-web/testing/story';
import { afterEach, expect, it } from 'vitest';

const stack = sharedStack({ simulator: { codeUnlinks: false } });
const id = 'main';

afterEach(() => stack.client.deleteSession({ id }));

const namesOnPhone = async () => (await stack.phones.account(ADA)).devices.map(({ name }) => name);

it('the phone shows the name of a device that was linked by QR, also after it was linked again', async () => {
  await stack.client.startSession({ id, deviceName: 'Shop north' });
  await stack.link(id, ADA);
  expect(await namesOnPhone()).toEqual(['Google Chrome (Shop north)']);
  expect(await stack.client.getSessionStatus({ id })).toMatchObject({ deviceName: 'Shop north' });
  await stack.client.restartSession({ id });
  await stack.untilStatus(id, 'ready');
  await stack.client.logoutSession({ id });
  await stack.link(id, ADA);
  expect(await namesOnPhone()).toEqual(['Google Chrome (Shop north)']);
});

it('the phone shows the name of a device that was linked by code', async () => {
  await stack.client.startSession({ id, deviceName: 'Büro "2" 📦' });
  await stack.untilStatus(id, 'qr');
  const { code } = await stack.client.requestPairingCode({ id, phoneNumber: ADA });
  await stack.phones.pair(ADA, code);
  await stack.untilStatus(id, 'ready');
  expect(await namesOnPhone()).toEqual(['Google Chrome (Büro "2" 📦)']);
});

it('without a name, the phone shows that of the page; one that is given while the QR is shown takes effect', async () => {
  await stack.link(id, ADA);
  expect(await namesOnPhone()).toEqual(['Google Chrome (Mac OS)']);
  await stack.client.startSession({ id, deviceName: 'Later' });
  expect(await stack.client.getSessionStatus({ id })).toMatchObject({ status: 'ready', restarts: 0 });
  await stack.client.logoutSession({ id });
  await stack.untilStatus(id, 'qr');
  await stack.client.startSession({ id, deviceName: 'Latest' });
  await stack.link(id, ADA);
  expect(await namesOnPhone()).toEqual(['Google Chrome (Latest)']);
});

it('is refused if it is empty, too long or has a line break', async () => {
  await stack.client.startSession({ id });
  for (const deviceName of ['', ' x', 'x'.repeat(51), 'a\nb'])
    await expect(stack.client.startSession({ id, deviceName })).rejects.toMatchObject({
      issues: [{ path: 'deviceName' }],
    });
});
