import type { WebSocket } from 'ws';
import type { Page } from '../api.ts';
import type { PageReport, StageCue } from '../page/wire.ts';
import { SimulatorError } from '../simulator-error.ts';
import type { PageConnection } from './page-connection.ts';

/** Cues that the network performs itself. */
type NetworkCue = { readonly kind: 'conflict' } | { readonly kind: 'idle' };

interface OpenPage {
  readonly stage: WebSocket;
  report: PageReport | undefined;
  cuesGiven: number;
}

/** Below the 10 s that the client waits for an answer. */
const CUE_TIMEOUT_MS = 8_000;

/** The open pages: their reports, and the events caused in them. */
export class Pages {
  readonly #pages = new Map<string, OpenPage>();
  readonly #connections = new Map<string, PageConnection>();

  /** A page has connected to `/ws/stage`; it is listed from its first report until it disconnects. */
  join(id: string, stage: WebSocket): void {
    const page: OpenPage = { stage, report: undefined, cuesGiven: 0 };
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
      const { cuesTaken: _, ...seen } = report;
      const connection = this.#connections.get(id);
      const qrAgeMs = report.qr === undefined ? undefined : connection?.references?.ageMs;
      return [{ id, ...seen, qrAgeMs, codeFor: connection?.codeFor, passkeyFor: connection?.passkeyFor }];
    });
  }

  /** Makes the current connections of an account half-open, or releases them. */
  stall(number: string, stalled: boolean): void {
    for (const connection of this.#connections.values()) if (connection.number === number) connection.stall(stalled);
  }

  /** Resolves once the page has received it, and performs it next. 409 if the page does not receive it. */
  async disturb(id: string, cue: StageCue | NetworkCue): Promise<void> {
    const page = this.#pages.get(id);
    if (!page) throw new SimulatorError(404, `id: no page ${id} is open`);
    if (cue.kind === 'conflict') return this.#connection(id).send({ type: 'conflict' });
    if (cue.kind === 'idle') return this.#references(id).end();
    if (!(await give(page, cue)))
      throw new SimulatorError(409, `page ${id} does not take ${cue.kind}: it is frozen, or has gone`);
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

/** Whether a page has received a cue in time. A disconnect counts as success for a reload only. */
function give(page: OpenPage, cue: StageCue): Promise<boolean> {
  const { stage } = page;
  page.cuesGiven += 1;
  const number = page.cuesGiven;
  stage.send(JSON.stringify(cue));
  return new Promise((resolve) => {
    const end = (isTaken: boolean) => {
      clearTimeout(timer);
      stage.off('message', look).off('close', gone);
      resolve(isTaken);
    };
    const look = () => {
      if ((page.report?.cuesTaken ?? 0) >= number) end(true);
    };
    const gone = () => end(cue.kind === 'reload');
    const timer = setTimeout(() => end(false), CUE_TIMEOUT_MS);
    stage.on('message', look).on('close', gone);
  });
}
