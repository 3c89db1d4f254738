import { setTimeout as delay } from 'node:timers/promises';
import { type AnswerOf, GatewayError, type WorkerOperationName } from '@chat-web/protocol';
import { Session } from './session.ts';
import type { SessionContext } from './session-context.ts';

/** When the gateway stops: how long a worker gets to close its browser, and how long all of it may take. */
const WORKER_TIMEOUT_MS = 3_500;
const SHUTDOWN_TIMEOUT_MS = 4_500;

/** All sessions of the gateway, by id. */
export class Supervisor {
  readonly #context: SessionContext;
  readonly #sessions = new Map<string, Session>();
  #closing = false;

  constructor(context: SessionContext) {
    this.#context = context;
  }

  /** Every session that runs or has saved auth, sorted by id. */
  list(): Session[] {
    for (const id of this.#context.saved.ids()) this.#session(id);
    return [...this.#sessions.values()].filter((session) => session.isKnown).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** The session of that id. 404 where it neither runs nor has saved auth. */
  find(id: string): Session {
    const session = this.#context.saved.has(id) ? this.#session(id) : this.#sessions.get(id);
    if (session?.isKnown) return session;
    throw new GatewayError('session_not_found', `there is no session ${id}`);
  }

  /** Starts the session of that id, known or new, unless it runs. */
  async start(id: string): Promise<Session> {
    if (this.#closing) throw new GatewayError('shutting_down', 'the gateway is stopping');
    const session = this.#session(id);
    await session.start();
    return session;
  }

  async stop(id: string): Promise<void> {
    await this.find(id).stop();
    this.#forget(id);
  }

  async remove(id: string): Promise<void> {
    await this.find(id).remove();
    this.#forget(id);
  }

  /** Forwards an operation to the session's worker. */
  call<N extends WorkerOperationName>(operation: N, input: { readonly id: string }): Promise<AnswerOf<N>> {
    return this.find(input.id).call(operation, input);
  }

  /** Starts every saved session; they wait for their turn in the start queue. */
  startSaved(): void {
    for (const id of this.#context.saved.ids().sort()) {
      this.start(id).catch((error: unknown) => this.#context.log.error({ session: id, err: error }, 'start failed'));
    }
  }

  /** Ends all streams and all workers, keeping auth. No session starts any more. Never rejects. */
  async close(): Promise<void> {
    this.#closing = true;
    const sessions = [...this.#sessions.values()];
    for (const session of sessions) session.endStreams('the gateway stops');
    const ends = sessions.map(async (session) => {
      try {
        await session.stop(WORKER_TIMEOUT_MS);
      } catch (error) {
        this.#context.log.error({ session: session.id, err: error }, 'stop failed');
      }
    });
    // A stop that waits behind another one, of a browser that hangs, ends with this process and its channels.
    await Promise.race([Promise.all(ends), delay(SHUTDOWN_TIMEOUT_MS, undefined, { ref: false })]);
  }

  #session(id: string): Session {
    const known = this.#sessions.get(id);
    if (known) return known;
    const session = new Session(id, this.#context);
    this.#sessions.set(id, session);
    return session;
  }

  #forget(id: string): void {
    if (this.#sessions.get(id)?.isForgettable) this.#sessions.delete(id);
  }
}
