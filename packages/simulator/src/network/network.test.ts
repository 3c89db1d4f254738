import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ServerEvent, WireMessage } from '../page/wire.ts';
import { seededAccounts } from '../seed.ts';
import { defaultSettings } from '../settings.ts';
import { describeAccount } from './account.ts';
import { createMessage } from './message.ts';
import { Network } from './network.ts';
import type { Offer } from './offer.ts';
import { Phone } from './phone.ts';
import { QrReferences } from './qr-references.ts';
import type { Line } from './records.ts';

const [ada, ben, carla] = ['12025550101', '12025550102', '12025550103'] as const;

/** Records the events that a page receives. */
class RecordingLine implements Line {
  readonly events: ServerEvent[] = [];

  send(event: ServerEvent): void {
    this.events.push(event);
  }

  drop(): void {}

  all<T extends ServerEvent['type']>(type: T): Extract<ServerEvent, { type: T }>[] {
    return this.events.filter((event): event is Extract<ServerEvent, { type: T }> => event.type === type);
  }

  get messages(): WireMessage[] {
    return this.all('message').map(({ message }) => message);
  }
}

let network: Network;

beforeEach(() => {
  vi.useFakeTimers();
  network = new Network({ ...defaultSettings }, seededAccounts);
});

afterEach(() => {
  network.close();
  vi.useRealTimers();
});

/** A page that shows a QR. */
function offerPage() {
  const line = new RecordingLine();
  const references = new QrReferences(line, network.settings, network.timers);
  const offer: Offer = { line, noiseKey: 'noise', identityKey: 'identity', references };
  network.linking.offers.add(offer);
  references.start();
  vi.advanceTimersByTime(network.settings.refDelayMs);
  return { line, offer, references, qr: () => `${references.current},noise,identity,secret,1` };
}

/** A device that is linked and logged in. */
function linkDevice(number: string) {
  const { line, qr } = offerPage();
  new Phone(network, number).scan(qr());
  vi.advanceTimersByTime(network.settings.pairDelayMs);
  const [paired] = line.all('paired');
  const login = (on: Line, keys = 0, newest?: number) =>
    network.linking.login(on, paired?.deviceId ?? '', paired?.secret ?? '', keys, newest);
  const account = network.directory.get(number);
  const device = login(line)?.device;
  if (!device) throw new Error('the login was refused');
  return { line, login, account, device };
}

describe('a QR', () => {
  it('changes, and ends after the last reference until the page requests more', () => {
    const { line } = offerPage();
    const { qrCount, qrFirstMs, qrIntervalMs } = network.settings;
    vi.advanceTimersByTime(qrFirstMs + qrIntervalMs * (qrCount - 1));
    expect(new Set(line.all('ref').map(({ ref }) => ref)).size).toBe(qrCount);
    expect(line.events.at(-1)).toEqual({ type: 'refs-ended' });
  });

  it('with a long validity is replaced when the page requests a new one, which is valid as long again', () => {
    network.settings.qrFirstMs = 3_600_000;
    const { line, qr, references } = offerPage();
    const old = qr();
    vi.advanceTimersByTime(3_599_000);
    expect([qr(), references.ageMs]).toEqual([old, 3_599_000]);
    references.start();
    vi.advanceTimersByTime(network.settings.refDelayMs);
    const fresh = qr();
    expect([references.ageMs, fresh === old]).toEqual([0, false]);
    vi.advanceTimersByTime(3_599_000);
    expect([qr(), line.all('ref').length]).toEqual([fresh, 2]);
    expect(() => new Phone(network, ada).scan(old)).toThrow('has expired');
  });

  it('cannot be scanned once it has changed', () => {
    const { qr } = offerPage();
    const old = qr();
    vi.advanceTimersByTime(network.settings.qrFirstMs);
    expect(() => new Phone(network, ada).scan(old)).toThrow('has expired');
    expect(new Phone(network, ada).scan(qr()).deviceId).toBeTruthy();
  });
});

describe('a pairing code', () => {
  it('unlinks existing devices, even if it is refused, unless that is switched off', () => {
    const { account, device } = linkDevice(ada);
    const { offer } = offerPage();
    account.codeRefusal = 429;
    network.settings.codeUnlinks = false;
    expect(() => network.linking.code(offer, ada)).toThrow('the code is refused');
    expect(account.devices.size).toBe(1);
    network.settings.codeUnlinks = true;
    expect(() => network.linking.code(offer, ada)).toThrow('the code is refused');
    expect(account).toMatchObject({ unlinks: [{ deviceId: device.id, cause: 'pairing_code' }] });
  });
});

describe('a message', () => {
  it('reaches phone and device of the recipient, and its acks come back', async () => {
    const { line } = linkDevice(ada);
    const { line: other, account, device } = linkDevice(ben);
    const sent = await new Phone(network, ada).send({ to: ben, body: 'hello' });
    vi.advanceTimersByTime(network.settings.deliveryDelayMs);
    network.postOffice.received(account, device, sent.id);
    expect(other.messages).toMatchObject([{ id: sent.id, body: 'hello', fromMe: false, chat: `${ada}@c.us` }]);
    expect(line.messages).toMatchObject([{ id: sent.id, body: 'hello', fromMe: true, chat: `${ben}@c.us` }]);
    expect(new Phone(network, ben).read(ada)).toEqual({ read: 1 });
    expect(line.all('ack').map(({ ack }) => ack)).toEqual([2, 3]);
  });

  it('waits for a phone that is off', async () => {
    const phone = new Phone(network, ben);
    phone.turn(false);
    await new Phone(network, ada).send({ to: ben, body: 'hello' });
    vi.advanceTimersByTime(network.settings.deliveryDelayMs);
    expect(phone.messages(undefined)).toEqual([]);
    expect(new Phone(network, ada).messages(ben)).toMatchObject([{ ack: 1 }]);
    phone.turn(true);
    expect(phone.messages(ada)).toMatchObject([{ body: 'hello', ack: 2 }]);
  });

  it('is delivered again at the next login until the device has confirmed it', async () => {
    const { login, account, device } = linkDevice(ada);
    const sent = await new Phone(network, ben).send({ to: ada, body: 'hello' });
    vi.advanceTimersByTime(network.settings.deliveryDelayMs);
    const [second, third] = [new RecordingLine(), new RecordingLine()];
    login(second);
    expect(second.messages).toHaveLength(1);
    expect(second.all('welcome')[0]?.chats).toEqual([]);
    network.postOffice.received(account, device, sent.id);
    login(third);
    expect(third.messages).toEqual([]);
    expect(third.all('welcome')[0]?.chats).toMatchObject([{ unreadCount: 1, messages: [{ id: sent.id }] }]);
  });

  it('that arrives while a device is offline is delivered at its next login, however many there are', async () => {
    const { login, device } = linkDevice(ada);
    device.line = undefined;
    for (let count = 0; count < 50; count += 1) {
      await new Phone(network, ben).send({ to: ada, body: String(count) });
      vi.advanceTimersByTime(1000);
    }
    const line = new RecordingLine();
    login(line);
    expect(line.messages.map(({ body }) => body)).toEqual(Array.from({ length: 50 }, (_, count) => String(count)));
    expect(line.messages.at(-1)?.t).toBe((line.messages[0]?.t ?? 0) + 49);
    expect(line.all('synced')).toEqual([]);
  });

  it('that a device sends twice is accepted once', async () => {
    const { account, device } = linkDevice(ada);
    const to = network.directory.get(ben);
    const fresh = () => createMessage({ id: '3EB0', from: account, to, body: 'x', timestamp: 1 });
    const answers = [network.postOffice.submit(fresh(), device), network.postOffice.submit(fresh(), device)];
    vi.advanceTimersByTime(network.settings.ackDelayMs + network.settings.deliveryDelayMs);
    await Promise.all([...answers, network.postOffice.submit(fresh(), device)]);
    expect(new Phone(network, ben).messages(ada)).toHaveLength(1);
  });

  it('of a person with a hidden number arrives under it, and quotes under it', async () => {
    const { line } = linkDevice(ada);
    const { id } = await new Phone(network, ada).send({ to: carla, body: 'question' });
    vi.advanceTimersByTime(network.settings.deliveryDelayMs);
    await new Phone(network, carla).send({ to: ada, body: 'answer', quotedMessageId: id });
    vi.advanceTimersByTime(network.settings.deliveryDelayMs);
    const lid = '81604523377103@lid';
    expect(line.messages[0]).toMatchObject({ chat: lid, to: lid, from: '81604523377101@lid' });
    expect(line.messages[1]).toMatchObject({ chat: lid, from: lid, quoted: { id, author: '81604523377101@lid' } });
  });
});

describe('a device', () => {
  it('is notified that it is unlinked, at once and when it logs in again', () => {
    const { line, login } = linkDevice(ada);
    expect(new Phone(network, ada).logout(undefined, 3)).toEqual({ devices: 1 });
    expect(line.all('logged-out')).toMatchObject([{ times: 3 }]);
    const later = new RecordingLine();
    expect(login(later)).toBeUndefined();
    expect(later.events).toMatchObject([{ type: 'logged-out', times: 1 }]);
  });

  it('loses its connection to a second page with the same link', () => {
    const { line, login } = linkDevice(ada);
    login(new RecordingLine());
    expect(line.events.at(-1)).toEqual({ type: 'conflict' });
  });

  it('stays linked with the keys that it has reported or newer ones, and not with older ones', () => {
    const { line, login, account, device } = linkDevice(ada);
    network.linking.moveKeys(device, 7);
    network.linking.moveKeys(device, 6);
    expect(login(new RecordingLine(), 7)?.device).toBe(device);
    expect(login(line, 9)?.device).toBe(device);
    const old = new RecordingLine();
    expect(login(old, 8)).toBeUndefined();
    expect([...old.events, line.events.at(-1)]).toMatchObject([{ type: 'logged-out' }, { type: 'logged-out' }]);
    expect(account.devices.size).toBe(0);
    expect(account.unlinks).toMatchObject([{ deviceId: device.id, cause: 'old_keys' }]);
  });

  it('stays linked if another tab advances its keys between its connection and its login', () => {
    const { login, device } = linkDevice(ada);
    network.linking.moveKeys(device, 7);
    expect([login(new RecordingLine(), 6, 6)?.device, device.keys]).toEqual([device, 7]);
    expect(login(new RecordingLine(), 6, 7)).toBeUndefined();
  });

  it('with old keys stays linked if that is switched off', () => {
    const { login, device } = linkDevice(ada);
    network.linking.moveKeys(device, 7);
    network.settings.oldKeysUnlink = false;
    expect([login(new RecordingLine(), 3)?.device, device.keys]).toEqual([device, 7]);
  });

  it('counts once per accepted login, and not for a refused one', () => {
    const { line, login, account } = linkDevice(ada);
    login(new RecordingLine());
    login(line);
    expect(describeAccount(account).logins).toBe(3);
    new Phone(network, ada).logout(undefined, 1);
    login(line);
    expect(describeAccount(account).logins).toBe(3);
  });
});
