import type { WebSocket } from 'ws';
import type { Page } from '../api.ts';
import type { PageReport, StageCue } from '../page/wire.ts';
import { SimulatorError } from '../simulator-error.ts';
import type { PageConnection } from './page-connection.ts';

/** What the network does to a page. */
interface NetworkCue {
  readonly kind: 'conflict' | 'idle';
}

interface OpenPage {
  readonly stage: WebSocket;
  report: PageReport | undefined;
}

/** The pages that are open: what they report, and what is done to them. */
export class Pages {
  readonly #pages = new Map<string, OpenPage>();
  readonly #connections = new Map<string, PageConnection>();

  /** A page has come to the stage; it is listed from its first report until it goes. */
  join(id: string, stage: WebSocket): void {
    const page: OpenPage = { stage, report: undefined };
    this.#pages.set(id, page);
    stage.on('message', (data) => {
      try {
        page.report = JSON.parse(String(data)) as PageReport;
      } catch {
        stage.terminate();
      }
    });
    stage.on('error', () => stage.terminate());
    stage.on('close', () => {
      if (this.#pages.get(id) === page) this.#pages.delete(id);
    });
  }

  /** A page's connection to the network, the latest one counting. */
  connected(id: string, connection: PageConnection): void {
    this.#connections.set(id, connection);
  }

  disconnected(id: string, connection: PageConnection): void {
    if (this.#connections.get(id) === connection) this.#connections.delete(id);
  }

  list(): Page[] {
    return [...this.#pages].flatMap(([id, { report }]) => {
      if (!report) return [];
      const qrAgeMs = report.qr === undefined ? undefined : this.#connections.get(id)?.references?.ageMs;
      return [{ id, ...report, ...(qrAgeMs === undefined ? {} : { qrAgeMs }) }];
    });
  }

  /** Makes the connections of an account half-open, those that are there now, or whole again. */
  stall(number: string, stalled: boolean): void {
    for (const connection of this.#connections.values()) if (connection.number === number) connection.stall(stalled);
  }

  disturb(id: string, cue: StageCue | NetworkCue): void {
    const page = this.#pages.get(id);
    if (!page) throw new SimulatorError(404, `id: no page ${id} is open`);
    if (cue.kind === 'conflict') this.#connection(id).send({ type: 'conflict' });
    else if (cue.kind === 'idle') this.#references(id).end();
    else page.stage.send(JSON.stringify(cue));
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
