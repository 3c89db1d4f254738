import { randomBytes, randomUUID } from 'node:crypto';
import type { SimulatorSettings } from '../settings.ts';
import { SimulatorError } from '../simulator-error.ts';
import type { Timers } from '../timers.ts';
import type { AccountRecord, Device, Line } from './account.ts';
import { brief } from './briefing.ts';
import type { Directory } from './directory.ts';
import type { Groups } from './groups.ts';
import type { PostOffice } from './post-office.ts';
import type { QrReferences } from './qr-references.ts';

/** A page that offers itself for linking: the keys that its QR carries, and its references. */
export interface Offer {
  readonly line: Line;
  readonly noiseKey: string;
  readonly identityKey: string;
  readonly references: QrReferences;
}

/** A device that has logged in, and its account. */
export interface Login {
  readonly account: AccountRecord;
  readonly device: Device;
}

/** The parts of the network that a login needs. */
interface LinkingParts {
  readonly directory: Directory;
  readonly groups: Groups;
  readonly postOffice: PostOffice;
}

/** Links devices to accounts, logs them in, and unlinks them. */
export class Linking {
  readonly offers = new Set<Offer>();
  readonly #settings: SimulatorSettings;
  readonly #parts: LinkingParts;
  readonly #timers: Timers;

  constructor(settings: SimulatorSettings, parts: LinkingParts, timers: Timers) {
    this.#settings = settings;
    this.#parts = parts;
    this.#timers = timers;
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
    offer.references.stop();
    const device = createDevice();
    account.devices.set(device.id, device);
    offer.line.send({ type: 'pairing' });
    this.#timers.after(this.#settings.pairDelayMs, () =>
      offer.line.send({ type: 'paired', deviceId: device.id, secret: device.secret }),
    );
    this.#timers.after(this.#settings.onboardingMs, () => {
      if (!device.onboarded && account.devices.has(device.id)) this.unlink(account, [device], 1);
    });
    return device;
  }

  /** Logs a device in on this line, and tells it all it should know; undefined, and unlinked, if it is not known. */
  login(line: Line, deviceId: string, secret: string): Login | undefined {
    const account = this.#parts.directory.all().find(({ devices }) => devices.get(deviceId)?.secret === secret);
    const device = account?.devices.get(deviceId);
    if (!account || !device) {
      line.send({ type: 'logged-out', times: 1, unpaired: this.#settings.unpairedOnLogout });
      return undefined;
    }
    if (device.line !== line) device.line?.send({ type: 'conflict' });
    device.line = line;
    account.logins += 1;
    line.send({
      type: 'welcome',
      self: this.#parts.directory.describeSelf(account),
      onboarded: device.onboarded,
      ...brief(account, device, this.#parts),
    });
    line.send({ type: 'progress', percent: 0 });
    this.#parts.postOffice.deviceLoggedIn(account, device);
    line.send({ type: 'progress', percent: 100 });
    this.#timers.after(this.#settings.syncDelayMs, () => {
      if (device.line === line) line.send({ type: 'synced' });
    });
    return { account, device };
  }

  /** Tells the devices that are logged in what they would learn at their next login. */
  refresh(account: AccountRecord): void {
    for (const device of account.devices.values()) {
      device.line?.send({ type: 'news', ...brief(account, device, this.#parts) });
    }
  }

  /** Unlinks devices; their pages are told now, or when they log in next. */
  unlink(account: AccountRecord, devices: readonly Device[], times: number): void {
    for (const device of devices) {
      account.devices.delete(device.id);
      device.line?.send({ type: 'logged-out', times, unpaired: this.#settings.unpairedOnLogout });
      device.line = undefined;
    }
  }
}

function createDevice(): Device {
  const secret = randomBytes(16).toString('hex');
  return { id: randomUUID(), secret, linkedAt: new Date(), line: undefined, onboarded: false, waiting: new Set() };
}
