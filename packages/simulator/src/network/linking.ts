import { randomBytes, randomUUID } from 'node:crypto';
import type { UnlinkCause } from '../api.ts';
import type { SimulatorSettings } from '../settings.ts';
import { SimulatorError } from '../simulator-error.ts';
import type { Timers } from '../timers.ts';
import { brief } from './briefing.ts';
import type { Directory } from './directory.ts';
import type { Groups } from './groups.ts';
import type { Newsletters } from './newsletter.ts';
import type { Login, Offer } from './offer.ts';
import { PairingCodes } from './pairing-codes.ts';
import { PasskeyLinks } from './passkey-links.ts';
import type { PostOffice } from './post-office.ts';
import type { AccountRecord, Device, Line } from './records.ts';
import { NetworkRefusal } from './refusal.ts';
import { sync } from './sync.ts';

/** The parts of the network that a login needs. */
interface LinkingParts {
  readonly directory: Directory;
  readonly groups: Groups;
  readonly newsletters: Newsletters;
  readonly postOffice: PostOffice;
}

/** Links devices to accounts, logs them in, and unlinks them. */
export class Linking {
  readonly offers = new Set<Offer>();
  readonly passkeys: PasskeyLinks;
  readonly #settings: SimulatorSettings;
  readonly #parts: LinkingParts;
  readonly #timers: Timers;
  readonly #codes = new PairingCodes();

  constructor(settings: SimulatorSettings, parts: LinkingParts, timers: Timers) {
    this.#settings = settings;
    this.#parts = parts;
    this.#timers = timers;
    this.passkeys = new PasskeyLinks(settings, timers, this.offers, (offer, login) => this.#pair(offer, login));
  }

  /** The phone scans the text of a QR. */
  scan(account: AccountRecord, qr: string): Device {
    const [ref, noiseKey, identityKey, advSecret, platform] = qr.split(',');
    if (!ref || !noiseKey || !identityKey || !advSecret || !platform) {
      throw new SimulatorError(400, 'qr: not a QR that links a device');
    }
    const offer = [...this.offers].find(({ references }) => references.current === ref);
    if (!offer) throw new SimulatorError(404, 'qr: no page shows this QR; it has expired');
    if (offer.noiseKey !== noiseKey || offer.identityKey !== identityKey) {
      throw new SimulatorError(409, 'qr: the page that shows this reference has other keys');
    }
    return this.#claim(offer, account);
  }

  /**
   * Creates a code with which the owner of that number can link a page. As on the real network, this may unlink the
   * devices that are linked already, even if the code is refused.
   */
  code(offer: Offer, phone: string): string {
    const account = this.#parts.directory.find(phone);
    if (!account) throw new NetworkRefusal(400, 'bad-request');
    if (this.#settings.codeUnlinks) this.unlink(account, [...account.devices.values()], 1, 'pairing_code');
    if (account.codeRefusal !== undefined) throw new NetworkRefusal(account.codeRefusal, 'the code is refused');
    const { codeLimit } = this.#settings;
    if (codeLimit !== null && this.#codes.countOf(account) >= codeLimit)
      throw new NetworkRefusal(429, 'rate-overlimit');
    return this.#codes.create(account, offer);
  }

  /** The account that has to type the code of that page; undefined if the page has none. */
  codeFor(offer: Offer): AccountRecord | undefined {
    return this.#codes.accountOf(offer);
  }

  /** Invalidates the code of a page. */
  cancelCode(offer: Offer): void {
    this.#codes.cancel(offer);
  }

  /** The owner types a code into the phone. */
  pair(account: AccountRecord, code: string): Device {
    const offer = this.#codes.take(account, code);
    if (!offer || !this.offers.has(offer))
      throw new SimulatorError(404, `code: no page shows ${code} to ${account.number}`);
    return this.#claim(offer, account);
  }

  /** Links a page, or requests a passkey from it first. */
  #claim(offer: Offer, account: AccountRecord): Device {
    offer.references.stop();
    const device = createDevice();
    if (account.passkey) this.passkeys.begin(offer, { account, device });
    else this.#pair(offer, { account, device });
    return device;
  }

  #pair(offer: Offer, { account, device }: Login): void {
    account.devices.set(device.id, device);
    offer.line.send({ type: 'pairing' });
    this.#timers.after(this.#settings.pairDelayMs, () =>
      offer.line.send({ type: 'paired', deviceId: device.id, secret: device.secret }),
    );
    this.#timers.after(this.#settings.onboardingMs, () => {
      if (!device.onboarded && account.devices.has(device.id)) this.unlink(account, [device], 1, 'whats_new');
    });
  }

  /**
   * Logs a device in on this connection, and sends its data. An unknown device is unlinked, and so is one whose `keys`
   * are older than `newest`, the newest ones when its page connected. The result is then undefined.
   */
  login(line: Line, deviceId: string, secret: string, keys: number, newest = this.keysOf(deviceId)): Login | undefined {
    const account = this.#parts.directory.all().find(({ devices }) => devices.get(deviceId)?.secret === secret);
    const device = account?.devices.get(deviceId);
    if (!account || !device) {
      this.#logOut(line, 1);
      return undefined;
    }
    if (this.#settings.oldKeysUnlink && !(keys >= newest)) {
      this.unlink(account, [device], 1, 'old_keys');
      this.#logOut(line, 1);
      return undefined;
    }
    this.moveKeys(device, keys);
    if (device.line !== line) device.line?.send({ type: 'conflict' });
    device.line = line;
    account.logins += 1;
    line.send({
      type: 'welcome',
      self: this.#parts.directory.describeSelf(account),
      onboarded: device.onboarded,
      synced: device.synced,
      labels: account.labels,
      ...brief(account, device, this.#parts),
    });
    line.send({ type: 'progress', percent: 0 });
    if (account.ringing) line.send({ type: 'call', call: account.ringing.call });
    this.#parts.postOffice.deviceLoggedIn(account, device);
    sync(device, line, this.#settings, this.#timers);
    return { account, device };
  }

  /** Sends the data of a login again to the devices that are logged in. */
  refresh(account: AccountRecord): void {
    for (const device of account.devices.values()) {
      device.line?.send({ type: 'news', ...brief(account, device, this.#parts) });
    }
  }

  /** How often the keys of a device have advanced; 0 for one that is not linked. */
  keysOf(deviceId: string): number {
    return this.#parts.directory.ownerOf(deviceId)?.devices.get(deviceId)?.keys ?? 0;
  }

  /** Advances the keys of a device to that count; a lower count, which another tab sent late, is ignored. */
  moveKeys(device: Device, count: number): void {
    if (count > device.keys) device.keys = count;
  }

  /** Unlinks devices; their pages are notified now, or at their next login. */
  unlink(account: AccountRecord, devices: readonly Device[], times: number, cause: UnlinkCause): void {
    for (const device of devices) {
      const { line } = device;
      forget(account, device, cause);
      if (line) this.#logOut(line, times);
    }
  }

  #logOut(line: Line, times: number): void {
    line.send({ type: 'logged-out', times, unpaired: this.#settings.unpairedOnLogout });
  }
}

/** Removes the link of a device, without notifying its page. */
export function forget(account: AccountRecord, device: Device, cause: UnlinkCause): void {
  account.devices.delete(device.id);
  device.line = undefined;
  account.unlinks.push({ at: new Date().toISOString(), deviceId: device.id, cause });
}

function createDevice(): Device {
  const secret = randomBytes(16).toString('hex');
  return {
    id: randomUUID(),
    secret,
    linkedAt: new Date(),
    keys: 0,
    line: undefined,
    onboarded: false,
    synced: false,
    presence: 'unavailable',
    waiting: new Set(),
  };
}
