import type { WebSocket } from 'ws';
import type { Network } from '../network/network.ts';
import type { Login, Offer } from '../network/offer.ts';
import { QrReferences } from '../network/qr-references.ts';
import type { Line } from '../network/records.ts';
import { NetworkRefusal } from '../network/refusal.ts';
import type { PageMessage, ServerEvent } from '../page/wire.ts';
import { SimulatorError } from '../simulator-error.ts';
import { answer } from './requests/answer.ts';
import { answerOffer } from './requests/offer-requests.ts';

/** One connection of a page to the network, from `register` or `login` until it is closed. */
export class PageConnection implements Line {
  readonly #socket: WebSocket;
  readonly #network: Network;
  readonly #newestKeys: number | undefined;
  #offer: Offer | undefined;
  #login: Login | undefined;
  #stalled = false;
  /** Messages that are held back while it is stalled, in order. */
  readonly #held: (() => void)[] = [];

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
    return this.#offer?.references;
  }

  /** The number of the account whose owner has to type the code of the page. */
  get codeFor(): string | undefined {
    return this.#offer && this.#network.linking.codeFor(this.#offer)?.number;
  }

  /** The number of the account whose passkey the page has to show. */
  get passkeyFor(): string | undefined {
    return this.#offer?.pending?.login.account.number;
  }

  /** The number of the account that has logged in. */
  get number(): string | undefined {
    return this.#login?.account.number;
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
      this.#receive(JSON.parse(text) as PageMessage);
    } catch {
      // An invalid message: not from one of our pages.
      this.#socket.terminate();
    }
  }

  #receive(message: PageMessage): void {
    switch (message.type) {
      case 'register':
        this.#register(message.noiseKey, message.identityKey);
        break;
      case 'code-cancelled':
        if (this.#offer) this.#network.linking.cancelCode(this.#offer);
        break;
      case 'passkey-cancelled':
        if (this.#offer) this.#network.linking.passkeys.cancel(this.#offer);
        break;
      case 'chat-state':
        this.#show(message);
        break;
      case 'refresh':
        this.#offer?.references.start();
        break;
      case 'login':
        this.#logIn(message);
        break;
      case 'keys':
        if (this.#login) this.#network.linking.moveKeys(this.#login.device, message.count);
        break;
      case 'received':
        if (this.#login) this.#network.postOffice.received(this.#login.account, this.#login.device, message.id);
        break;
      case 'confirmed':
        this.#network.confirmations.confirmed(message.confirm);
        break;
      case 'request':
        void this.#answer(message.request, () => {
          if (!this.#login) throw new Error('this device has not logged in');
          return answer(this.#network, this.#login, message.name, message.params);
        });
        break;
      case 'offer-request':
        void this.#answer(message.request, () => {
          if (!this.#offer) throw new Error('this page does not offer itself for linking');
          return answerOffer(this.#network, this.#offer, message.name, message.params);
        });
        break;
    }
  }

  #logIn({ deviceId, secret, keys }: Extract<PageMessage, { type: 'login' }>): void {
    this.#login = this.#network.linking.login(this, deviceId, secret, keys, this.#newestKeys);
  }

  /** The network accepts only the hidden id of a person. An invalid message gets no answer. */
  #show({ to, state }: Extract<PageMessage, { type: 'chat-state' }>): void {
    if (!this.#login || !/@(lid|g\.us)$/.test(to)) return;
    const { account } = this.#login;
    try {
      this.#network.chatStates.show(this, account, this.#network.party(to, account, 'to'), state);
    } catch (error) {
      if (!(error instanceof SimulatorError)) throw error;
    }
  }

  #register(noiseKey: string, identityKey: string): void {
    const references = new QrReferences(this, this.#network.settings, this.#network.timers);
    this.#offer = { line: this, noiseKey, identityKey, references };
    this.#network.linking.offers.add(this.#offer);
    references.start();
  }

  async #answer(request: number, act: () => unknown): Promise<void> {
    try {
      this.send({ type: 'answer', request, result: await act() });
    } catch (error) {
      const status = error instanceof SimulatorError || error instanceof NetworkRefusal ? error.status : 500;
      const sentence = error instanceof Error ? error.message : String(error);
      this.send({ type: 'refused', request, status, message: sentence });
    }
  }

  #leave(): void {
    this.#network.confirmations.release(this);
    this.#network.presences.release(this);
    this.#network.chatStates.release(this);
    if (this.#offer) {
      this.#offer.references.stop();
      this.#network.linking.offers.delete(this.#offer);
    }
    const device = this.#login?.device;
    if (device?.line === this) device.line = undefined;
  }
}
