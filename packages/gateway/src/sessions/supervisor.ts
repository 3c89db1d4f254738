import { setTimeout as delay } from 'node:timers/promises';
import {
  type AnswerOf,
  asGatewayError,
  GatewayError,
  type SendAttempt,
  settledWithin,
  type WorkerOperationName,
} from '@chat-web/protocol';
import type { Caller, Requester } from '../access/caller.ts';
import { afterChange } from '../after-change.ts';
import { isSameNumber } from './same-number.ts';
import { Session, type StartRequest } from './session.ts';
import type { OtherSessions, SessionDependencies } from './session-dependencies.ts';
import { isRunning } from './session-state.ts';
import { FILES_PER_WORKER } from './worker-process.ts';

/** At shutdown: the time limits for calls in progress, for a worker to close its browser, and for the total. */
const DRAIN_TIMEOUT_MS = 12_000;
const WORKER_TIMEOUT_MS = 3_500;
const WORKERS_TIMEOUT_MS = 4_500;
/** Many browsers that close at once share the cores. */
const MORE_FOR_EACH_MS = 100;
const MAX_EXTRA_MS = 3_000;
const DRAIN_POLL_MS = 20;
/** What is stored because of a start: the `status` events until the session is up, and again when it ends. */
const STORED_BY_A_START = 4_096;

interface CodeRequest {
  readonly id: string;
  /** In digits. */
  readonly number: string;
}

export class Supervisor implements OtherSessions {
  readonly #dependencies: SessionDependencies;
  readonly #sessions = new Map<string, Session>();
  readonly #codeRequests = new Set<CodeRequest>();
  #closing = false;

  constructor(dependencies: SessionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Every session that runs or has saved auth, sorted by id. */
  list(): Session[] {
    for (const id of this.#dependencies.saved.ids()) this.#sessionOf(id);
    return [...this.#sessions.values()].filter((session) => session.isKnown).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** The session with this id. 404 if it neither runs nor has saved auth. */
  find(id: string): Session {
    const session = this.#dependencies.saved.has(id) ? this.#sessionOf(id) : this.#sessions.get(id);
    if (session?.isKnown) return session;
    throw new GatewayError('session_not_found', `there is no session ${id}`);
  }

  has(id: string): boolean {
    return this.#dependencies.saved.has(id) || this.#sessions.get(id)?.isKnown === true;
  }

  /** The session with this id, if it is in memory. */
  session(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  /** Every session in memory, known to the API or not. */
  all(): Session[] {
    return [...this.#sessions.values()];
  }

  /** How many files of this process belong to workers. */
  get openFiles(): number {
    return FILES_PER_WORKER * this.all().filter(({ workerPid }) => workerPid !== undefined).length;
  }

  // Requests wait for their turn: they are refused if `signal` has aborted by then.

  /**
   * Starts the session with this id, known or new, unless it runs. `url_not_allowed` for a proxy whose address is not
   * allowed.
   */
  async start(id: string, asked: StartRequest = {}, by: Requester = {}): Promise<Session> {
    const { settings, proxyCheck } = this.#dependencies;
    const { proxy } = settings.after(id, asked) ?? {};
    // Not again for one that it has: its host may not be resolvable now.
    if (proxy && proxy !== settings.of(id).proxy) await proxyCheck.requireAllowed(proxy, id, by.keyId);
    this.#requireNotClosing();
    this.#requireRoomFor(id, by);
    const known = this.session(id);
    if (!known || !isRunning(known.phase)) this.#charge(by);
    const session = this.#sessionOf(id);
    try {
      await session.start(true, asked, by);
    } finally {
      this.#forget(id); // If the start was refused.
    }
    return session;
  }

  async restart(id: string, by: Requester): Promise<Session> {
    this.#requireNotClosing();
    const session = this.find(id);
    this.#charge(by);
    await session.restart(by);
    return session;
  }

  async logout(id: string, by: Requester): Promise<Session> {
    this.#requireNotClosing();
    const session = this.find(id);
    this.#charge(by);
    await session.logout(by);
    return session;
  }

  async stop(id: string, signal: AbortSignal): Promise<void> {
    await this.find(id).stopByHand(signal);
    this.#forget(id);
  }

  /** The session with this id, known or new, for an import. 409 if it must not be replaced, 503 if there is no room. */
  forImport(id: string, by: Requester): Session {
    this.#requireNotClosing();
    this.#requireRoomFor(id, by);
    const session = this.#sessionOf(id);
    session.requireAbsent();
    return session;
  }

  /** The session with this id, for an export. 404 if it is unknown. */
  forExport(id: string): Session {
    this.#requireNotClosing();
    return this.find(id);
  }

  /** See `Session.takeBack`. */
  takeBack(id: string, starts: boolean): Promise<boolean> {
    return this.#sessionOf(id).takeBack(starts);
  }

  /** Removes the folder of a session that was moved, and belongs to another host. */
  async discard(id: string): Promise<void> {
    await this.#sessionOf(id).discard();
    this.#forget(id);
  }

  async remove(id: string, signal: AbortSignal): Promise<void> {
    await this.find(id).remove(signal);
    this.#forget(id);
  }

  /** The error that such a call to this session would get now: 404, 409 or 503; undefined if it would be forwarded. */
  refusalOf(id: string, operation: WorkerOperationName): GatewayError | undefined {
    try {
      this.#requireNotClosing();
      return this.find(id).refusalOf(operation);
    } catch (error) {
      return asGatewayError(error, 'internal_error');
    }
  }

  async call<N extends WorkerOperationName>(
    operation: N,
    input: { readonly id: string },
    attempt?: SendAttempt,
  ): Promise<AnswerOf<N>> {
    this.#requireNotClosing();
    return this.find(input.id).call(operation, input, attempt);
  }

  /**
   * Has the page of a session request a pairing code. 409 if another session has the account with this number, running
   * or not, since the network may unlink it. One that is only being linked to it counts if the caller may see it: with a
   * code for a number, nobody can keep it from the sessions of others. Of these, the first one that is linked gets it,
   * and the codes of the others end. The error names only a session that the caller may see.
   */
  async requestPairingCode(
    input: { readonly id: string; readonly phoneNumber: string },
    { sees, signal }: Pick<Caller, 'sees' | 'signal'>,
  ): Promise<AnswerOf<'requestPairingCode'>> {
    const { id, phoneNumber } = input;
    const request = { id, number: phoneNumber.slice(0, phoneNumber.indexOf('@')) };
    const refusal = this.refusalOf(id, 'requestPairingCode');
    if (refusal) throw refusal;
    const { linked, linking } = await this.#holdersOf(request);
    signal.throwIfAborted();
    // Nothing else runs until it is added.
    for (const other of this.#codeRequests)
      if (other.id !== id && isSameNumber(other.number, request.number)) linking.push(other.id);
    const holders = [...linked, ...linking.filter(sees)];
    if (holders.length > 0) throw alreadyLinked(holders.find(sees));
    this.#codeRequests.add(request);
    try {
      const answer = await this.call('requestPairingCode', input);
      const { linked: meanwhile } = await this.#holdersOf(request);
      if (meanwhile.length > 0) {
        this.find(id).showQr(); // A renewed code could unlink the holder.
        throw afterChange(alreadyLinked(meanwhile.find(sees)));
      }
      if (signal.aborted) throw afterChange(signal.reason);
      return answer;
    } finally {
      this.#codeRequests.delete(request);
    }
  }

  /** Returns sessions with a pairing code for this number to the QR: a renewed code could unlink the holder. */
  endPairingCodes(number: string, holder: string): void {
    for (const session of this.all()) {
      const { id, phase } = session;
      if (id !== holder && phase.status === 'qr' && isSameNumber(session.number ?? '', number)) session.showQr();
    }
  }

  /** The other sessions that have the account with this number, and those that are being linked to it. */
  async #holdersOf({ id, number }: CodeRequest): Promise<Record<'linked' | 'linking', string[]>> {
    const { saved } = this.#dependencies;
    const stored = await Promise.all(saved.ids().map(async (one) => ({ id: one, ...(await saved.accountOf(one)) })));
    const elsewhere = this.#dependencies.numbersElsewhere().map((one) => ({ ...one, isLinked: true }));
    const others = [...stored, ...this.all(), ...elsewhere].filter(
      (one) => one.id !== id && one.number && isSameNumber(one.number, number),
    );
    const ids = (isLinked: boolean) => others.filter((one) => one.isLinked === isLinked).map((one) => one.id);
    return { linked: ids(true), linking: ids(false) };
  }

  /** `except`: those that must not run here. */
  startSaved(except: readonly string[] = []): void {
    for (const id of this.#dependencies.saved.ids().sort()) {
      if (except.includes(id)) continue;
      const started = this.#sessionOf(id).start(false);
      started.catch((error: unknown) =>
        this.#dependencies.log.error({ session: id, err: error }, 'session start failed'),
      );
    }
  }

  /** How many sessions are running or being recovered. */
  get running(): number {
    return this.all().filter(({ phase }) => isRunning(phase)).length;
  }

  /** True once no new work is accepted. */
  get isClosing(): boolean {
    return this.#closing;
  }

  /** False while a session that should run has no run and no pending attempt. */
  get isHealthy(): boolean {
    return this.all().every((session) => session.isHealthy);
  }

  /** Accepts no new work, and waits until calls in progress are done, the time is up, or the signal aborts. */
  async drain(skipWaiting: AbortSignal, others: () => number): Promise<void> {
    this.#closing = true;
    const deadline = Date.now() + DRAIN_TIMEOUT_MS;
    const isPending = () => others() > 0 || this.all().some(({ pending }) => pending > 0);
    while (!skipWaiting.aborted && Date.now() < deadline && isPending()) await delay(DRAIN_POLL_MS);
  }

  /** Ends all streams and workers, keeping auth. No session starts after that. Never rejects. */
  async close(): Promise<void> {
    this.#closing = true;
    const sessions = this.all();
    this.#dependencies.events.streams.endAll('the gateway stops');
    const more = Math.min(MAX_EXTRA_MS, MORE_FOR_EACH_MS * this.running);
    const ends = sessions.map(async (session) => {
      try {
        await session.stop(WORKER_TIMEOUT_MS + more);
      } catch (error) {
        this.#dependencies.log.error({ session: session.id, err: error }, 'session stop failed');
      }
    });
    // A stop that waits for a hanging browser ends with this process.
    await settledWithin(Promise.all(ends), WORKERS_TIMEOUT_MS + more);
  }

  /** A start counts in the share of its caller: with ever new ids, each session would have a share of its own. */
  #charge({ keyId }: Requester): void {
    if (keyId !== undefined) this.#dependencies.events.requests.chargeKey(keyId, STORED_BY_A_START);
  }

  /** 503 for a session above a limit. Existing sessions may start, however many there are. */
  #requireRoomFor(id: string, { maxSessions, sees }: Requester): void {
    const { config, saved } = this.#dependencies;
    // Sessions that are about to start count as well.
    const taken = new Set(saved.ids());
    for (const session of this.all()) if (!session.isForgettable) taken.add(session.id);
    if (taken.has(id)) return;
    if (taken.size >= config.maxSessions)
      throw new GatewayError(
        'insufficient_resources',
        `there are ${taken.size} sessions, which is the limit (CHAT_WEB_MAX_SESSIONS): delete one, or raise it`,
      );
    if (maxSessions === undefined || !sees) return;
    const ofCaller = [...taken].filter(sees).length;
    if (ofCaller >= maxSessions)
      throw new GatewayError(
        'insufficient_resources',
        `there are ${ofCaller} sessions for this key, which is its limit (maxSessions): delete one`,
      );
  }

  #requireNotClosing(): void {
    if (this.#closing) throw new GatewayError('shutting_down', 'the gateway is stopping');
  }

  #sessionOf(id: string): Session {
    const known = this.#sessions.get(id);
    if (known) return known;
    // Some stopped by themselves, for example because their QR was not scanned.
    for (const other of this.#sessions.keys()) this.#forget(other);
    const session = new Session(id, this.#dependencies, this);
    this.#sessions.set(id, session);
    return session;
  }

  #forget(id: string): void {
    if (!this.#sessions.get(id)?.isForgettable) return;
    this.#sessions.delete(id);
    this.#dependencies.events.setMetadata(id, {}).catch(() => {}); // Otherwise at the next start.
    void this.#dependencies.settings.clear(id);
  }
}

/** `holder`: a session that the caller may see. */
function alreadyLinked(holder: string | undefined): GatewayError {
  const why =
    holder === undefined
      ? 'a session of this gateway has this number'
      : `session ${holder} has this number, or is being linked to it`;
  return new GatewayError('already_linked', why);
}
