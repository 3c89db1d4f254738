import type { UnlinkCause } from '../api.ts';
import { NetworkRefusal, SimulatorError } from '../errors.ts';
import type { SimulatorSettings } from '../settings.ts';
import type { Timers } from '../timers.ts';
import { bootstrapData, type Dependencies } from './bootstrap.ts';
import { PairingCodes } from './pairing-codes.ts';
import type { Login, PairingSession } from './pairing-session.ts';
import { PasskeyLinks } from './passkey-links.ts';
import { type AccountRecord, type Connection, Device } from './records.ts';

export class Linking {
  readonly pairingSessions = new Set<PairingSession>();
  readonly passkeys: PasskeyLinks;
  readonly #settings: SimulatorSettings;
  readonly #dependencies: Dependencies;
  readonly #timers: Timers;
  readonly #codes = new PairingCodes();

  constructor(settings: SimulatorSettings, dependencies: Dependencies, timers: Timers) {
    this.#settings = settings;
    this.#dependencies = dependencies;
    this.#timers = timers;
    this.passkeys = new PasskeyLinks(settings, timers, this.pairingSessions, (session, login) =>
      this.#pair(session, login),
    );
  }

  scan(account: AccountRecord, qr: string): Device {
    const [ref, noiseKey, identityKey, advSecret, platform] = qr.split(',');
    if (!ref || !noiseKey || !identityKey || !advSecret || !platform) {
      throw new SimulatorError(400, 'qr: not a QR that links a device');
    }
    const session = [...this.pairingSessions].find(({ references }) => references.current === ref);
    if (!session) throw new SimulatorError(404, 'qr: no page shows this QR; it has expired');
    if (session.noiseKey !== noiseKey || session.identityKey !== identityKey) {
      throw new SimulatorError(409, 'qr: the page that shows this reference has other keys');
    }
    return this.#claim(session, account);
  }

  /**
   * Creates a code with which the owner of that number can link a page. As on the real network, this may unlink the
   * devices that are linked already, even if the code is refused.
   */
  code(session: PairingSession, phone: string): string {
    const account = this.#dependencies.directory.find(phone);
    if (!account) throw new NetworkRefusal(400, 'bad-request');
    if (this.#settings.codeUnlinks) this.unlink(account, [...account.devices.values()], 1, 'pairing_code');
    if (account.codeRefusal !== undefined) throw new NetworkRefusal(account.codeRefusal, 'the code is refused');
    return this.#codes.create(account, session);
  }

  /** The account that has to type the code of that page; undefined if the page has none. */
  codeFor(session: PairingSession): AccountRecord | undefined {
    return this.#codes.accountOf(session);
  }

  cancelCode(session: PairingSession): void {
    this.#codes.cancel(session);
  }

  /** The owner types a code into the phone. */
  pair(account: AccountRecord, code: string): Device {
    const session = this.#codes.take(account, code);
    if (!session || !this.pairingSessions.has(session))
      throw new SimulatorError(404, `code: no page shows ${code} to ${account.number}`);
    return this.#claim(session, account);
  }

  /** Links a page, or requests a passkey from it first. */
  #claim(session: PairingSession, account: AccountRecord): Device {
    session.references.stop();
    const device = new Device();
    device.name = session.deviceName ?? device.name;
    if (account.passkey) this.passkeys.begin(session, { account, device });
    else this.#pair(session, { account, device });
    return device;
  }

  #pair(session: PairingSession, { account, device }: Login): void {
    account.devices.set(device.id, device);
    session.connection.send({ type: 'pairing' });
    this.#timers.after(this.#settings.pairDelayMs, () =>
      session.connection.send({ type: 'paired', deviceId: device.id, secret: device.secret }),
    );
    this.#timers.after(this.#settings.onboardingMs, () => {
      if (!device.onboarded && account.devices.has(device.id)) this.unlink(account, [device], 1, 'whats_new');
    });
  }

  /**
   * Logs a device in on this connection, and sends its data. An unknown device is unlinked, and so is one whose `keys`
   * are older than `newest`, the newest ones when its page connected. The result is then undefined.
   */
  login(
    connection: Connection,
    deviceId: string,
    secret: string,
    keys: number,
    newest = this.keysOf(deviceId),
  ): Login | undefined {
    const account = this.#dependencies.directory.all().find(({ devices }) => devices.get(deviceId)?.secret === secret);
    const device = account?.devices.get(deviceId);
    if (!account || !device) {
      this.#logOut(connection, 1);
      return undefined;
    }
    if (this.#settings.oldKeysUnlink && !(keys >= newest)) {
      this.unlink(account, [device], 1, 'old_keys');
      this.#logOut(connection, 1);
      return undefined;
    }
    this.advanceKeys(device, keys);
    if (device.connection !== connection) device.connection?.send({ type: 'conflict' });
    device.connection = connection;
    account.logins += 1;
    connection.send({
      type: 'welcome',
      self: this.#dependencies.directory.describeSelf(account),
      onboarded: device.onboarded,
      synced: device.synced,
      labels: account.labels,
      limits: account.limits,
      ...bootstrapData(account, device, this.#dependencies),
    });
    connection.send({ type: 'progress', percent: 0 });
    if (account.ringing) connection.send({ type: 'call', call: account.ringing.call });
    this.#dependencies.delivery.deviceLoggedIn(account, device);
    sync(device, connection, this.#settings, this.#timers);
    return { account, device };
  }

  /** Sends the data of a login again to the devices that are logged in. */
  refresh(account: AccountRecord): void {
    for (const device of account.devices.values()) {
      device.connection?.send({ type: 'news', ...bootstrapData(account, device, this.#dependencies) });
    }
  }

  /** How often the keys of a device have advanced; 0 for one that is not linked. */
  keysOf(deviceId: string): number {
    return this.#dependencies.directory.ownerOf(deviceId)?.devices.get(deviceId)?.keys ?? 0;
  }

  /** Advances the keys of a device to that count; a lower count, which another tab sent late, is ignored. */
  advanceKeys(device: Device, count: number): void {
    if (count > device.keys) device.keys = count;
  }

  /** Unlinks devices; their pages are notified now, or at their next login. */
  unlink(account: AccountRecord, devices: readonly Device[], times: number, cause: UnlinkCause): void {
    for (const device of devices) {
      const { connection } = device;
      forget(account, device, cause);
      if (connection) this.#logOut(connection, times);
    }
  }

  #logOut(connection: Connection, times: number): void {
    connection.send({ type: 'logged-out', times, unpaired: this.#settings.unpairedOnLogout });
  }
}

/** Removes the link of a device, without notifying its page. */
export function forget(account: AccountRecord, device: Device, cause: UnlinkCause): void {
  account.devices.delete(device.id);
  device.connection = undefined;
  account.unlinks.push({ at: new Date().toISOString(), deviceId: device.id, cause });
}

type SyncSettings = Pick<SimulatorSettings, 'syncDelayMs' | 'syncSteps' | 'syncStallAt'>;

/** Lets a device that has logged in sync: its progress moves in steps, and may stop forever if it is its first sync. */
export function sync(device: Device, connection: Connection, settings: SyncSettings, timers: Timers): void {
  const { syncDelayMs, syncSteps } = settings;
  const end = device.synced ? 100 : (settings.syncStallAt ?? 100);
  const report = (percent: number) => {
    if (device.connection === connection) connection.send({ type: 'progress', percent: Math.min(percent, end) });
  };
  if (syncSteps === 0) report(100);
  for (let step = 1; step <= syncSteps; step += 1) {
    const percent = (100 * step) / syncSteps;
    // One step past the end completes it; more steps would repeat it.
    if (percent - 100 / syncSteps >= end) break;
    timers.after((syncDelayMs * step) / syncSteps, () => report(percent));
  }
  if (end < 100) return;
  timers.after(syncDelayMs, () => {
    if (device.connection !== connection) return;
    device.synced = true;
    connection.send({ type: 'synced' });
  });
}
