import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { Page } from '../api.ts';
import { SimulatorError } from '../errors.ts';
import type { Network } from '../network/network.ts';
import type { PageDisturbance, PageReport } from '../page/wire.ts';
import type { PageConnection } from './page-connection.ts';

/** Disturbances that the network performs itself. */
type NetworkDisturbance = { readonly kind: 'conflict' } | { readonly kind: 'idle' };

interface OpenPage {
  readonly socket: WebSocket;
  report: PageReport | undefined;
  disturbancesSent: number;
}

/** Pages may be slow. Below the 70 s that the client waits for this. */
const PAGE_TIMEOUT_MS = 60_000;
const LOOK_MS = 5;
/** The answer to an event may start another one. */
const QUIET_LOOKS = 2;

/** The open pages: their reports, and the events caused in them. */
export class Pages {
  readonly #pages = new Map<string, OpenPage>();
  readonly #connections = new Map<string, PageConnection>();

  /** A page has connected to `/ws/test-control`; it is listed from its first report until it disconnects. */
  join(id: string, socket: WebSocket): void {
    const page: OpenPage = { socket, report: undefined, disturbancesSent: 0 };
    this.#pages.set(id, page);
    socket.on('message', (data) => {
      try {
        page.report = JSON.parse(String(data)) as PageReport;
      } catch {
        socket.terminate();
      }
    });
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      if (this.#pages.get(id) === page) this.#pages.delete(id);
    });
  }

  /** Sets a page's connection to the network; the latest one counts. */
  connected(id: string, connection: PageConnection): void {
    this.#connections.set(id, connection);
  }

  disconnected(id: string, connection: PageConnection): void {
    if (this.#connections.get(id) === connection) this.#connections.delete(id);
  }

  list(): Page[] {
    return [...this.#pages].flatMap(([id, { report }]) => {
      if (!report) return [];
      const { disturbancesReceived: _, ...seen } = report;
      const connection = this.#connections.get(id);
      const qrAgeMs = report.qr === undefined ? undefined : connection?.references?.ageMs;
      const isWaiting = connection?.isAnswering ?? false;
      return [{ id, ...seen, qrAgeMs, codeFor: connection?.codeFor, passkeyFor: connection?.passkeyFor, isWaiting }];
    });
  }

  /**
   * Resolves once nothing is on its way to a page or from one. Rejects with 409 if that takes longer than 60 s: a page
   * is frozen, or its connection is stalled.
   */
  async settled(network: Network): Promise<void> {
    const deadline = Date.now() + PAGE_TIMEOUT_MS;
    for (let quiet = 0; quiet < QUIET_LOOKS; ) {
      const connections = [...this.#connections.values()];
      await Promise.all(connections.map((connection) => connection.handled(deadline - Date.now())));
      const isBusy = network.isDelivering || connections.some(({ isAnswering }) => isAnswering);
      quiet = isBusy ? 0 : quiet + 1;
      if (Date.now() > deadline) throw new SimulatorError(409, 'messages are still on their way after 60 s');
      if (isBusy) await delay(LOOK_MS);
    }
  }

  /** Makes the current connections of an account half-open, or releases them. */
  stall(number: string, stalled: boolean): void {
    for (const connection of this.#connections.values()) if (connection.number === number) connection.stall(stalled);
  }

  /** Resolves once the page has received it, and performs it next. 409 if the page does not receive it. */
  async disturb(id: string, disturbance: PageDisturbance | NetworkDisturbance): Promise<void> {
    const page = this.#pages.get(id);
    if (!page) throw new SimulatorError(404, `id: no page ${id} is open`);
    if (disturbance.kind === 'conflict') return this.#connection(id).send({ type: 'conflict' });
    if (disturbance.kind === 'idle') return this.#references(id).end();
    if (!(await isReceived(page, disturbance)))
      throw new SimulatorError(409, `page ${id} does not take ${disturbance.kind}: it is frozen, or has gone`);
  }

  #connection(id: string): PageConnection {
    const connection = this.#connections.get(id);
    if (!connection) throw new SimulatorError(409, `page ${id} has no connection to the network`);
    return connection;
  }

  #references(id: string): NonNullable<PageConnection['references']> {
    const { references } = this.#connection(id);
    if (!references) throw new SimulatorError(409, `page ${id} shows no QR`);
    return references;
  }
}

/**
 * Sends a disturbance; resolves with whether the page has received it in time. A disconnect counts as success for a
 * reload only.
 */
function isReceived(page: OpenPage, disturbance: PageDisturbance): Promise<boolean> {
  const { socket } = page;
  page.disturbancesSent += 1;
  const number = page.disturbancesSent;
  socket.send(JSON.stringify(disturbance));
  return new Promise((resolve) => {
    const end = (received: boolean) => {
      clearTimeout(timer);
      socket.off('message', look).off('close', gone);
      resolve(received);
    };
    const look = () => {
      if ((page.report?.disturbancesReceived ?? 0) >= number) end(true);
    };
    const gone = () => end(disturbance.kind === 'reload');
    const timer = setTimeout(() => end(false), PAGE_TIMEOUT_MS);
    socket.on('message', look).on('close', gone);
  });
}
