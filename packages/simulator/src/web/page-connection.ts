import type { WebSocket } from 'ws';
import type { Line } from '../network/account.ts';
import type { Login, Offer } from '../network/linking.ts';
import type { Network } from '../network/network.ts';
import { QrReferences } from '../network/qr-references.ts';
import type { PageMessage, ServerEvent } from '../page/wire.ts';
import { SimulatorError } from '../simulator-error.ts';
import { answer } from './requests/answer.ts';

/** One connection of a page to the network, from `register` or `login` until it is closed. */
export class PageConnection implements Line {
  readonly #socket: WebSocket;
  readonly #network: Network;
  #offer: Offer | undefined;
  #login: Login | undefined;

  constructor(socket: WebSocket, network: Network) {
    this.#socket = socket;
    this.#network = network;
    socket.on('message', (data) => {
      try {
        this.#receive(JSON.parse(String(data)) as PageMessage);
      } catch {
        // Not one of our pages: it talks nonsense.
        socket.terminate();
      }
    });
    socket.on('close', () => this.#leave());
    socket.on('error', () => socket.terminate());
  }

  /** The references that the page shows, while it is not linked. */
  get references(): QrReferences | undefined {
    return this.#offer?.references;
  }

  send(event: ServerEvent): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(event));
  }

  drop(): void {
    this.#leave();
    this.#socket.terminate();
  }

  #receive(message: PageMessage): void {
    switch (message.type) {
      case 'register':
        this.#register(message.noiseKey, message.identityKey);
        break;
      case 'refresh':
        this.#offer?.references.start();
        break;
      case 'login':
        this.#login = this.#network.linking.login(this, message.deviceId, message.secret);
        break;
      case 'received':
        if (this.#login) this.#network.postOffice.received(this.#login.account, this.#login.device, message.id);
        break;
      case 'request':
        void this.#answer(message);
        break;
    }
  }

  #register(noiseKey: string, identityKey: string): void {
    const references = new QrReferences(this, this.#network.settings, this.#network.timers);
    this.#offer = { line: this, noiseKey, identityKey, references };
    this.#network.linking.offers.add(this.#offer);
    references.start();
  }

  async #answer({ request, name, params }: Extract<PageMessage, { type: 'request' }>): Promise<void> {
    try {
      if (!this.#login) throw new Error('this device has not logged in');
      this.send({ type: 'answer', request, result: await answer(this.#network, this.#login, name, params) });
    } catch (error) {
      const status = error instanceof SimulatorError ? error.status : 500;
      const sentence = error instanceof Error ? error.message : String(error);
      this.send({ type: 'refused', request, status, message: sentence });
    }
  }

  #leave(): void {
    if (this.#offer) {
      this.#offer.references.stop();
      this.#network.linking.offers.delete(this.#offer);
    }
    const device = this.#login?.device;
    if (device?.line === this) device.line = undefined;
  }
}
