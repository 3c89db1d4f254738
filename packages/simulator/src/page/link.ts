import { encodeB64 } from './base64.ts';
import type { Connection } from './connection.ts';
import { type Credentials, clearCredentials, saveCredentials } from './credentials.ts';
import { deviceProps } from './device-props.ts';
import { showOnboarding } from './dialogs.ts';
import { createCompanionHelloError, ServerStatusCodeError } from './errors.ts';
import type { Keys } from './keys.ts';
import type { Mailbox } from './mailbox.ts';
import { cmd, conn, socket, stream } from './models/conn.ts';
import { replaceLabels } from './models/labels.ts';
import { storeLimits } from './models/limits.ts';
import { presences } from './models/presences.ts';
import type { Outbox } from './outbox.ts';
import { pairing } from './pairing.ts';
import { PasskeyLink } from './passkey-link.ts';
import { PasskeyScreen } from './passkey-screen.ts';
import { switches } from './switches.ts';
import type { Users } from './users.ts';
import { createWid } from './wid.ts';
import type { ServerEvent } from './wire.ts';

const AFTER_LOGOUT_URL = '/?post_logout=1&logout_reason=0';
const FIRST_SYNC_FAILED_URL = '/?post_logout=1&logout_reason=2';
/** Time for the caller of a logout to close the browser, before the page shows a new QR. */
const LOGOUT_GRACE_MS = 1000;

export interface LinkDependencies {
  readonly connection: Connection;
  readonly users: Users;
  readonly keys: Keys;
  readonly mailbox: Mailbox;
  readonly outbox: Outbox;
}

export class Link {
  /** How much of the messages from the page's time offline has been delivered, in percent. */
  offlineProgress = 0;
  #credentials: Credentials;
  readonly #connection: Connection;
  readonly #dependencies: LinkDependencies;
  #firstSync: ReturnType<typeof setTimeout> | undefined;
  /** The dialog has been answered, or is open. */
  #onboarded = false;

  constructor(credentials: Credentials, dependencies: LinkDependencies) {
    const { connection } = dependencies;
    this.#credentials = credentials;
    this.#connection = connection;
    this.#dependencies = dependencies;
    connection.handle('ref', ({ ref }) => {
      socket.set({ state: 'UNPAIRED' });
      conn.set({ ref });
    });
    connection.handle('refs-ended', () => socket.set({ state: 'UNPAIRED_IDLE' }));
    const passkeyLink = new PasskeyLink(connection);
    const passkeyScreen = new PasskeyScreen(passkeyLink, () => {
      pairing.type = 'QR_CODE';
    });
    connection.handle('pairing', () => {
      passkeyLink.end();
      passkeyScreen.close();
      socket.set({ state: 'PAIRING' });
    });
    connection.handle('paired', (event) => void this.#pair(event.deviceId, event.secret));
    connection.handle('welcome', (event) => this.#handleWelcome(event));
    connection.handle('progress', ({ percent }) => {
      this.offlineProgress = Math.min(percent, switches.offlineProgressEnd);
      cmd.trigger('offline_progress_update_from_bridge');
    });
    connection.handle('synced', () => {
      socket.set({ hasSynced: true });
      if (switches.whatsNewAt === 'synced') this.#showOnboarding();
    });
    connection.handle('logged-out', (event) => void this.#handleLogout(event));
    connection.handle('platform', ({ platform }) => conn.set({ platform }));
    connection.handle('labels', ({ labels }) => replaceLabels(labels));
    connection.handle('conflict', () => {
      connection.close();
      socket.set({ state: 'CONFLICT' });
    });
  }

  /** All messages from the time offline are delivered, whatever the progress shows. */
  get isResumed(): boolean {
    return socket.get('hasSynced') ?? false;
  }

  get credentials(): Credentials {
    return this.#credentials;
  }

  /** Connects: with the link in the profile, or without one to get a QR. */
  start(): void {
    const { noiseKey, identityKey, device } = this.#credentials;
    this.#connection.open(device?.id, {
      opened: () => {
        if (device) void this.#login(device);
        else {
          socket.set({ state: 'UNPAIRED' });
          const keys = { noiseKey: encodeB64(noiseKey), identityKey: encodeB64(identityKey) };
          this.#connection.send({ type: 'register', ...keys, deviceProps: deviceProps() });
        }
      },
      // A second failure in a row: the loss lasts.
      lost: (failures) => {
        socket.set({ state: failures > 1 ? 'TIMEOUT' : 'OPENING' });
        presences.clearAllPresence();
      },
    });
  }

  async #login({ id, secret }: NonNullable<Credentials['device']>): Promise<void> {
    // As it is in the profile now: another tab may have advanced it.
    const keys = await this.#dependencies.keys.count();
    this.#connection.send({ type: 'login', deviceId: id, secret, keys });
  }

  /** Takes the link back from the page that has taken it over. */
  takeover(): void {
    if (socket.get('state') !== 'CONFLICT') return;
    socket.set({ state: 'OPENING' });
    this.start();
  }

  /** A code with which the owner of that number can link this page; rejects with a CompanionHelloError. */
  async requestCode(phone: string): Promise<string> {
    try {
      const { code } = await this.#connection.requestPairing('code', { phone: phone.replace(/\D/g, '') });
      return code;
    } catch (error) {
      throw error instanceof ServerStatusCodeError ? createCompanionHelloError(error.status) : error;
    }
  }

  cancelCode(): void {
    this.#connection.send({ type: 'code-cancelled' });
  }

  /** Requests new references after the last one has expired. As in the real page, it registers again for them. */
  refreshQr(): void {
    this.#connection.send({ type: 'refresh', deviceProps: deviceProps() });
  }

  /** Unlinks this device; the page shows a new QR afterwards. Returns at once, as the real page. */
  logout(): void {
    void this.#logOut();
  }

  async #logOut(): Promise<void> {
    await this.#connection.request('logout', {});
    await clearCredentials();
    setTimeout(() => location.replace(AFTER_LOGOUT_URL), LOGOUT_GRACE_MS);
    cmd.trigger('logout');
  }

  async #pair(id: string, secret: string): Promise<void> {
    this.#credentials = { ...this.#credentials, device: { id, secret } };
    await saveCredentials(this.#credentials);
    this.start();
  }

  #handleWelcome({
    self,
    onboarded,
    synced,
    labels,
    limits,
    users,
    chats,
  }: Extract<ServerEvent, { type: 'welcome' }>): void {
    this.#onboarded ||= onboarded;
    if (!synced) this.#limitFirstSync();
    const dependencies = this.#dependencies;
    dependencies.users.setSelf(self);
    for (const user of users) dependencies.users.update(user);
    conn.set({ wid: createWid(self.pn), lid: createWid(self.lid), pushname: self.pushname, platform: self.platform });
    conn.set({ connected: true });
    stream.set({ mode: 'MAIN' });
    replaceLabels(labels);
    storeLimits(limits);
    for (const chat of chats) dependencies.mailbox.restore(chat);
    socket.set({ state: 'CONNECTED' });
    this.#connection.admit();
    dependencies.keys.advance().catch(() => undefined);
    void dependencies.outbox.resume();
    if (switches.whatsNewAt === 'load') this.#showOnboarding();
  }

  /** The page logs itself out if a device's first sync takes too long; a reload restarts the timer. */
  #limitFirstSync(): void {
    clearTimeout(this.#firstSync);
    this.#firstSync = setTimeout(() => {
      if (!socket.get('hasSynced')) void this.#leave(FIRST_SYNC_FAILED_URL);
    }, switches.firstSyncMs);
  }

  async #leave(address: string): Promise<void> {
    await this.#connection.request('logout', {});
    await clearCredentials();
    location.replace(address);
  }

  #showOnboarding(): void {
    if (this.#onboarded) return;
    this.#onboarded = true;
    showOnboarding(() => void this.#connection.request('onboarded', {}));
  }

  async #handleLogout({ times, unpaired }: Extract<ServerEvent, { type: 'logged-out' }>): Promise<void> {
    this.#connection.close();
    for (let time = 0; time < times; time += 1) cmd.trigger('logout');
    await clearCredentials();
    if (unpaired) socket.set({ state: 'UNPAIRED' });
    location.replace(AFTER_LOGOUT_URL);
  }
}
