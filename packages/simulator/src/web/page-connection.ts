import type { WebSocket } from 'ws';
import { NetworkRefusal, SimulatorError } from '../errors.ts';
import type { Network } from '../network/network.ts';
import { type Login, type PairingSession, QrReferences } from '../network/pairing-session.ts';
import type { Connection } from '../network/records.ts';
import type { PageMessage, ServerEvent } from '../page/wire.ts';
import { answer, answerPairingRequest } from './requests/answer.ts';

/** One connection of a page to the network, from `register` or `login` until it is closed. */
export class PageConnection implements Connection {
  readonly #socket: WebSocket;
  readonly #network: Network;
  readonly #newestKeys: number | undefined;
  #session: PairingSession | undefined;
  #login: Login | undefined;
  #stalled = false;
  #answering = 0;
  /** Messages that are held back while it is stalled, in order. */
  readonly #held: (() => void)[] = [];

  readonly #receivers: { readonly [T in PageMessage['type']]: (message: Extract<PageMessage, { type: T }>) => void } = {
    register: (message) => this.#register(message),
    'code-cancelled': () => this.#session && this.#network.linking.cancelCode(this.#session),
    'passkey-cancelled': () => this.#session && this.#network.linking.passkeys.cancel(this.#session),
    'chat-state': (message) => this.#show(message),
    refresh: ({ deviceProps }) => {
      if (!this.#session) return;
      this.#session.deviceName = nameIn(deviceProps);
      this.#session.references.start();
    },
    login: ({ deviceId, secret, keys }) => {
      this.#login = this.#network.linking.login(this, deviceId, secret, keys, this.#newestKeys);
    },
    keys: ({ count }) => this.#login && this.#network.linking.advanceKeys(this.#login.device, count),
    received: ({ id }) => this.#login && this.#network.delivery.received(this.#login.account, this.#login.device, id),
    confirmed: ({ confirm }) => this.#network.confirmations.confirmed(confirm),
    request: ({ request, name, params }) =>
      this.#answer(request, () => {
        if (!this.#login) throw new Error('this device has not logged in');
        return answer(this.#network, this.#login, name, params);
      }),
    'pairing-request': ({ request, name, params }) =>
      this.#answer(request, () => {
        if (!this.#session) throw new Error('this page is not waiting to be linked');
        return answerPairingRequest(this.#network, this.#session, name, params);
      }),
  };

  /** `deviceId`: the device that the page claims to be, before it logs in. */
  constructor(socket: WebSocket, network: Network, deviceId: string | null) {
    this.#socket = socket;
    this.#network = network;
    // The page reads its keys after this: another tab of its profile may advance them in between.
    this.#newestKeys = deviceId === null ? undefined : network.linking.keysOf(deviceId);
    socket.on('message', (data) => this.#pass(() => this.#receiveText(String(data))));
    socket.on('close', () => this.#leave());
    socket.on('error', () => socket.terminate());
  }

  /** The references that the page shows, while it is not linked. */
  get references(): QrReferences | undefined {
    return this.#session?.references;
  }

  /** The number of the account whose owner has to type the code of the page. */
  get codeFor(): string | undefined {
    return this.#session && this.#network.linking.codeFor(this.#session)?.number;
  }

  /** The number of the account whose passkey the page has to show. */
  get passkeyFor(): string | undefined {
    return this.#session?.pending?.login.account.number;
  }

  /** The number of the account that has logged in. */
  get number(): string | undefined {
    return this.#login?.account.number;
  }

  /** True while a request of the page has no answer. */
  get isAnswering(): boolean {
    return this.#answering > 0;
  }

  /** Resolves once the page has handled everything that was sent to it. Rejects with 409 if it does not in time. */
  async handled(timeoutMs: number): Promise<void> {
    const { confirm, received } = this.#network.confirmations.expect(this, timeoutMs);
    this.send({ type: 'check', confirm });
    await received;
  }

  send(event: ServerEvent): void {
    this.#pass(() => {
      if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(event));
    });
  }

  /** Holds back all messages in both directions while the connection stays open, or releases them. */
  stall(stalled: boolean): void {
    this.#stalled = stalled;
    if (!stalled) for (const pass of this.#held.splice(0)) pass();
  }

  drop(): void {
    this.#leave();
    this.#socket.terminate();
  }

  #pass(act: () => void): void {
    if (this.#stalled) this.#held.push(act);
    else act();
  }

  #receiveText(text: string): void {
    try {
      const message = JSON.parse(text) as PageMessage;
      (this.#receivers[message.type] as (message: PageMessage) => void)(message);
    } catch (error) {
      // An invalid message, not from one of our pages, or a fault of the simulator.
      console.error('simulator: a message of a page failed:', error);
      this.#socket.terminate();
    }
  }

  /** The network accepts only the hidden id of a person. An invalid message gets no answer. */
  #show({ to, state }: Extract<PageMessage, { type: 'chat-state' }>): void {
    if (!this.#login || !/@(lid|g\.us)$/.test(to)) return;
    const { account } = this.#login;
    try {
      this.#network.chatStates.show(this, account, this.#network.peer(to, account, 'to'), state);
    } catch (error) {
      if (!(error instanceof SimulatorError)) throw error;
    }
  }

  #register({ noiseKey, identityKey, deviceProps }: Extract<PageMessage, { type: 'register' }>): void {
    const references = new QrReferences(this, this.#network.settings, this.#network.timers);
    this.#session = { connection: this, noiseKey, identityKey, references, deviceName: nameIn(deviceProps) };
    this.#network.linking.pairingSessions.add(this.#session);
    references.start();
  }

  async #answer(request: number, act: () => unknown): Promise<void> {
    this.#answering += 1;
    try {
      this.send({ type: 'answer', request, result: (await act()) ?? null });
    } catch (error) {
      const status = error instanceof SimulatorError || error instanceof NetworkRefusal ? error.status : 500;
      const sentence = error instanceof Error ? error.message : String(error);
      this.send({ type: 'refused', request, status, message: sentence });
    } finally {
      this.#answering -= 1;
    }
  }

  #leave(): void {
    this.#network.confirmations.disconnected(this);
    this.#network.presences.disconnected(this);
    this.#network.chatStates.disconnected(this);
    if (this.#session) {
      this.#session.references.stop();
      this.#network.linking.pairingSessions.delete(this.#session);
    }
    const device = this.#login?.device;
    if (device?.connection === this) device.connection = undefined;
  }
}

/** The name of a device on the phone: its browser, and what it gives as its operating system. */
function nameIn(deviceProps: string | undefined): string | undefined {
  if (deviceProps === undefined) return undefined;
  const { platformType, os } = JSON.parse(deviceProps) as { readonly platformType?: string; readonly os?: string };
  return `${platformType === 'CHROME' ? 'Google Chrome' : 'Unknown'} (${os})`;
}
