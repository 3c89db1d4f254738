import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ServerEvent, WireMessage } from '../page/wire.ts';
import { defaultSettings } from '../settings.ts';
import { describeAccount } from './account.ts';
import { seededAccounts } from './directory.ts';
import { Network } from './network.ts';
import { type PairingSession, QrReferences } from './pairing-session.ts';
import { Phone } from './phone.ts';
import { type Connection, Message } from './records.ts';

const [ada, ben, carla] = ['12025550101', '12025550102', '12025550103'] as const;

class RecordingConnection implements Connection {
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

afterEach(() => network.close());

function openUnlinkedPage() {
  const connection = new RecordingConnection();
  const references = new QrReferences(connection, network.settings, network.timers);
  const session: PairingSession = { connection, noiseKey: 'noise', identityKey: 'identity', references };
  network.linking.pairingSessions.add(session);
  references.start();
  vi.advanceTimersByTime(network.settings.refDelayMs);
  return { connection, session, references, qr: () => `${references.current},noise,identity,secret,1` };
}

function linkDevice(number: string) {
  const { connection, qr } = openUnlinkedPage();
  new Phone(network, number).scan(qr());
  vi.advanceTimersByTime(network.settings.pairDelayMs);
  const [paired] = connection.all('paired');
  const login = (on: Connection, keys = 0, newest?: number) =>
    network.linking.login(on, paired?.deviceId ?? '', paired?.secret ?? '', keys, newest);
  const account = network.directory.get(number);
  const device = login(connection)?.device;
  if (!device) throw new Error('the login was refused');
  return { connection, login, account, device };
}

describe('a QR', () => {
  it('changes, and ends after the last reference until the page requests more', () => {
    const { connection } = openUnlinkedPage();
    const { qrCount, qrFirstMs, qrIntervalMs } = network.settings;
    vi.advanceTimersByTime(qrFirstMs + qrIntervalMs * (qrCount - 1));
    expect(new Set(connection.all('ref').map(({ ref }) => ref)).size).toBe(qrCount);
    expect(connection.events.at(-1)).toEqual({ type: 'refs-ended' });
  });

  it('with a long validity is replaced when the page requests a new one, which is valid as long again', () => {
    network.settings.qrFirstMs = 3_600_000;
    const { connection, qr, references } = openUnlinkedPage();
    const old = qr();
    vi.advanceTimersByTime(3_599_000);
    expect([qr(), references.ageMs]).toEqual([old, 3_599_000]);
    references.start();
    vi.advanceTimersByTime(network.settings.refDelayMs);
    const fresh = qr();
    expect([references.ageMs, fresh === old]).toEqual([0, false]);
    vi.advanceTimersByTime(3_599_000);
    expect([qr(), connection.all('ref').length]).toEqual([fresh, 2]);
    expect(() => new Phone(network, ada).scan(old)).toThrow('has expired');
  });

  it('cannot be scanned once it has changed', () => {
    const { qr } = openUnlinkedPage();
    const old = qr();
    vi.advanceTimersByTime(network.settings.qrFirstMs);
    expect(() => new Phone(network, ada).scan(old)).toThrow('has expired');
    expect(new Phone(network, ada).scan(qr()).deviceId).toBeTruthy();
  });
});

it('a pairing code unlinks existing devices, even if it is refused, unless that is switched off', () => {
  const { account, device } = linkDevice(ada);
  const { session } = openUnlinkedPage();
  account.codeRefusal = 429;
  network.settings.codeUnlinks = false;
  expect(() => network.linking.code(session, ada)).toThrow('the code is refused');
  expect(account.devices.size).toBe(1);
  network.settings.codeUnlinks = true;
  expect(() => network.linking.code(session, ada)).toThrow('the code is refused');
  expect(account).toMatchObject({ unlinks: [{ deviceId: device.id, cause: 'pairing_code' }] });
});

describe('a message', () => {
  it('reaches phone and device of the recipient, and its acks come back', async () => {
    const { connection } = linkDevice(ada);
    const { connection: other, account, device } = linkDevice(ben);
    const sent = await new Phone(network, ada).send({ to: ben, body: 'hello' });
    vi.advanceTimersByTime(network.settings.deliveryDelayMs);
    network.delivery.received(account, device, sent.id);
    expect(other.messages).toMatchObject([{ id: sent.id, body: 'hello', fromMe: false, chat: `${ada}@c.us` }]);
    expect(connection.messages).toMatchObject([{ id: sent.id, body: 'hello', fromMe: true, chat: `${ben}@c.us` }]);
    expect(new Phone(network, ben).read(ada)).toEqual({ read: 1 });
    expect(connection.all('ack').map(({ ack }) => ack)).toEqual([2, 3]);
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
    const [second, third] = [new RecordingConnection(), new RecordingConnection()];
    login(second);
    expect(second.messages).toHaveLength(1);
    expect(second.all('welcome')[0]?.chats).toEqual([]);
    network.delivery.received(account, device, sent.id);
    login(third);
    expect(third.messages).toEqual([]);
    expect(third.all('welcome')[0]?.chats).toMatchObject([{ unreadCount: 1, messages: [{ id: sent.id }] }]);
  });

  it('that arrives while a device is offline is delivered at its next login, however many there are', async () => {
    const { login, device } = linkDevice(ada);
    device.connection = undefined;
    for (let count = 0; count < 50; count += 1) {
      await new Phone(network, ben).send({ to: ada, body: String(count) });
      vi.advanceTimersByTime(1000);
    }
    const connection = new RecordingConnection();
    login(connection);
    expect(connection.messages.map(({ body }) => body)).toEqual(
      Array.from({ length: 50 }, (_, count) => String(count)),
    );
    expect(connection.messages.at(-1)?.t).toBe((connection.messages[0]?.t ?? 0) + 49);
    expect(connection.all('synced')).toEqual([]);
  });

  it('that a device sends twice is accepted once', async () => {
    const { account, device } = linkDevice(ada);
    const to = network.directory.get(ben);
    const fresh = () => new Message({ id: '3EB0', from: account, to, body: 'x', timestamp: 1 });
    const answers = [network.delivery.submit(fresh(), device), network.delivery.submit(fresh(), device)];
    vi.advanceTimersByTime(network.settings.ackDelayMs + network.settings.deliveryDelayMs);
    await Promise.all([...answers, network.delivery.submit(fresh(), device)]);
    expect(new Phone(network, ben).messages(ada)).toHaveLength(1);
  });

  it('of a person with a hidden number arrives under it, and quotes under it', async () => {
    const { connection } = linkDevice(ada);
    const { id } = await new Phone(network, ada).send({ to: carla, body: 'question' });
    vi.advanceTimersByTime(network.settings.deliveryDelayMs);
    await new Phone(network, carla).send({ to: ada, body: 'answer', quotedMessageId: id });
    vi.advanceTimersByTime(network.settings.deliveryDelayMs);
    const lid = '81604523377103@lid';
    expect(connection.messages[0]).toMatchObject({ chat: lid, to: lid, from: '81604523377101@lid' });
    expect(connection.messages[1]).toMatchObject({
      chat: lid,
      from: lid,
      quoted: { id, author: '81604523377101@lid' },
    });
  });
});

describe('a device', () => {
  it('is notified that it is unlinked, at once and when it logs in again', () => {
    const { connection, login } = linkDevice(ada);
    expect(new Phone(network, ada).logout(undefined, 3)).toEqual({ devices: 1 });
    expect(connection.all('logged-out')).toMatchObject([{ times: 3 }]);
    const later = new RecordingConnection();
    expect(login(later)).toBeUndefined();
    expect(later.events).toMatchObject([{ type: 'logged-out', times: 1 }]);
  });

  it('loses its connection to a second page with the same link', () => {
    const { connection, login } = linkDevice(ada);
    login(new RecordingConnection());
    expect(connection.events.at(-1)).toEqual({ type: 'conflict' });
  });

  it('stays linked with the keys that it has reported or newer ones, and not with older ones', () => {
    const { connection, login, account, device } = linkDevice(ada);
    network.linking.advanceKeys(device, 7);
    network.linking.advanceKeys(device, 6);
    expect(login(new RecordingConnection(), 7)?.device).toBe(device);
    expect(login(connection, 9)?.device).toBe(device);
    const old = new RecordingConnection();
    expect(login(old, 8)).toBeUndefined();
    expect([...old.events, connection.events.at(-1)]).toMatchObject([{ type: 'logged-out' }, { type: 'logged-out' }]);
    expect(account.devices.size).toBe(0);
    expect(account.unlinks).toMatchObject([{ deviceId: device.id, cause: 'old_keys' }]);
  });

  it('stays linked if another tab advances its keys between its connection and its login', () => {
    const { login, device } = linkDevice(ada);
    network.linking.advanceKeys(device, 7);
    expect([login(new RecordingConnection(), 6, 6)?.device, device.keys]).toEqual([device, 7]);
    expect(login(new RecordingConnection(), 6, 7)).toBeUndefined();
  });

  it('with old keys stays linked if that is switched off', () => {
    const { login, device } = linkDevice(ada);
    network.linking.advanceKeys(device, 7);
    network.settings.oldKeysUnlink = false;
    expect([login(new RecordingConnection(), 3)?.device, device.keys]).toEqual([device, 7]);
  });

  it('counts once per accepted login, and not for a refused one', () => {
    const { connection, login, account } = linkDevice(ada);
    login(new RecordingConnection());
    login(connection);
    expect(describeAccount(account).logins).toBe(3);
    new Phone(network, ada).logout(undefined, 1);
    login(connection);
    expect(describeAccount(account).logins).toBe(3);
  });
});
