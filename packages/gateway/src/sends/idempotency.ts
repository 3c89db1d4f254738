import { createHash, randomBytes } from 'node:crypto';
import { asGatewayError, Counts, GatewayError, SECOND_MS, type SendAttempt } from '@chat-web/protocol';
import type { PublishedEvents } from '../events/published-events.ts';
import type { RequestJournal } from '../events/request-journal.ts';
import { frameBytesOf } from '../journal/frame.ts';
import { NotStoredError } from '../journal/journal.ts';
import { answerIn, keyNotes, type SentKey, type SentKeys } from './sent-keys.ts';

export interface KeyedRequest {
  readonly session: string;
  /** Of the caller; undefined for the operator. */
  readonly keyId: string | undefined;
  /** How many the caller may send within an hour; undefined: no limit. */
  readonly sendsPerHour?: number | undefined;
  /** The hash of the caller and the key. */
  readonly hash: string;
  /** The hash of everything in the request. */
  readonly fingerprint: string;
  /** The request is sent as one message, whose id the gateway chooses. */
  readonly choosesMessageId: boolean;
  /** Carrying it out again does what doing it once does. */
  readonly isHarmlessTwice: boolean;
}

export interface Execution {
  /** The error that the request would get now, before anything is done; undefined if there is none. */
  refusal(): GatewayError | undefined;
  /** `attempt`: undefined if the gateway does not choose the message's id. */
  execute(attempt: SendAttempt | undefined): Promise<unknown>;
}

export interface KeyedAnswer {
  readonly answer: unknown;
  readonly isReplayed: boolean;
}

/** When to retry a request whose first attempt is still in progress. */
const IN_PROGRESS_SECONDS = 1;
/** The longest text takes 192 KB, or 256 if it is in four bytes a character; a few are longer as JSON. */
const MAX_ANSWER_BYTES = 262_144;

/** Carries a request out once per key, even across crashes. */
export class Idempotency {
  readonly #journal: Pick<RequestJournal, 'append' | 'find'>;
  readonly #keys: SentKeys;
  readonly #published: Pick<PublishedEvents, 'ownIdOf'>;
  /** Fingerprints of requests without an answer, by session and hash. */
  readonly #underWay = new Map<string, string>();
  /** How many keys of each session, and of each caller with a limit there, are being written to disk. */
  readonly #beginning = new Counts();
  /** Keys that were freed, while that could not be stored. */
  readonly #freed = new Set<string>();

  /** `published`: has the full ids of messages that were sent. */
  constructor(
    journal: Pick<RequestJournal, 'append' | 'find'>,
    keys: SentKeys,
    published: Pick<PublishedEvents, 'ownIdOf'>,
  ) {
    this.#journal = journal;
    this.#keys = keys;
    this.#published = published;
  }

  /** True if a request with this key was carried out, or may have been. */
  knows({ session, hash }: Pick<KeyedRequest, 'session' | 'hash'>): boolean {
    return this.#keyOf(session, hash) !== undefined;
  }

  #keyOf(session: string, hash: string): SentKey | undefined {
    return this.#freed.has(`${session}/${hash}`) ? undefined : this.#keys.of(session, hash);
  }

  /**
   * Answers a request, with the stored answer if there is one. Rejects with the execution's error; with
   * `idempotency_in_progress`, `idempotency_key_reused`, or with `outcome_unknown` while it is unknown whether the
   * request was carried out.
   */
  async run(request: KeyedRequest, execution: Execution): Promise<KeyedAnswer> {
    const { session, hash, fingerprint } = request;
    const refused = execution.refusal();
    if (refused?.code === 'session_not_found') throw refused;
    const place = `${session}/${hash}`;
    const known = this.#keyOf(session, hash);
    const usedFor = known?.fingerprint ?? this.#underWay.get(place);
    if (usedFor !== undefined && usedFor !== fingerprint)
      throw new GatewayError('idempotency_key_reused', 'this Idempotency-Key was used for another request');
    if (this.#underWay.has(place)) {
      const details = { retryAfterSeconds: IN_PROGRESS_SECONDS };
      throw new GatewayError(
        'idempotency_in_progress',
        'the first request with this key is still in progress',
        details,
      );
    }
    this.#underWay.set(place, fingerprint);
    try {
      if (known?.doneSeq !== undefined) return { answer: await this.#answerOf(request, known), isReplayed: true };
      const answer = known
        ? await this.#repeat(request, known, execution)
        : await this.#executeFirst(request, execution);
      return { answer, isReplayed: false };
    } finally {
      this.#underWay.delete(place);
    }
  }

  async #answerOf({ session, keyId }: KeyedRequest, { doneSeq = 0, messageId }: SentKey): Promise<unknown> {
    const record = await this.#journal.find(doneSeq, keyId);
    const text = record && answerIn(record);
    if (text) return JSON.parse(text);
    // What was sent is not sent again.
    const why = 'the request was carried out before, and its response is no longer stored';
    throw new GatewayError('outcome_unknown', why, { id: this.#fullIdOf(session, messageId) });
  }

  /** The id of a message with its chat, once the page has reported it. */
  #fullIdOf(session: string, messageId: string | undefined): string | undefined {
    return messageId === undefined ? undefined : (this.#published.ownIdOf(session, messageId) ?? messageId);
  }

  async #executeFirst(request: KeyedRequest, { refusal, execute }: Execution): Promise<unknown> {
    const refused = refusal();
    if (refused) throw refused;
    this.#requireRoom(request);
    const messageId = request.choosesMessageId ? newMessageId() : undefined;
    await this.#begin(request, messageId);
    try {
      const answer = await execute(messageId === undefined ? undefined : { messageId, isRepeat: false });
      await this.#end(request, answer);
      return answer;
    } catch (thrown) {
      const error = asGatewayError(thrown, 'internal_error');
      if (error.code === 'outcome_unknown') throw this.#unknownOutcome(error, request.session, messageId);
      // An internal error leaves the outcome open.
      if (error.code !== 'internal_error') await this.#free(request);
      throw error;
    }
  }

  #requireRoom({ session, keyId = '', sendsPerHour }: KeyedRequest): void {
    const fullUntil = this.#keys.fullUntil(session, this.#beginning.of(session));
    if (fullUntil !== undefined) throw tooMany('the session has reached its limit of Idempotency-Keys', fullUntil);
    if (sendsPerHour === undefined) return;
    const beginning = this.#beginning.of(`${session}/${keyId}`);
    const spentUntil = this.#keys.spentUntil(session, keyId, sendsPerHour, beginning);
    if (spentUntil !== undefined)
      throw tooMany(
        `nothing was sent: the key may send ${sendsPerHour} messages an hour with this session`,
        spentUntil,
      );
  }

  /**
   * The first attempt may have succeeded, whatever happens to this one: only a success settles it. Even if the page
   * reports that the network refused the message, that is not certain: it reports the same for a message whose ack it
   * has missed.
   */
  async #repeat(request: KeyedRequest, { messageId }: SentKey, { refusal, execute }: Execution): Promise<unknown> {
    if (messageId === undefined && !request.isHarmlessTwice)
      throw new GatewayError('outcome_unknown', 'it is unknown whether the first request was carried out');
    try {
      const refused = refusal();
      if (refused) throw refused;
      const answer = await execute(messageId === undefined ? undefined : { messageId, isRepeat: true });
      await this.#end(request, answer);
      return answer;
    } catch (thrown) {
      throw this.#unknownOutcome(asGatewayError(thrown, 'internal_error'), request.session, messageId);
    }
  }

  #unknownOutcome(error: GatewayError, session: string, messageId: string | undefined): GatewayError {
    const { code, message, retryAfterSeconds, id = this.#fullIdOf(session, messageId) } = error;
    const why = code === 'outcome_unknown' ? message : `it is not known yet whether it was sent before: ${message}`;
    return new GatewayError('outcome_unknown', why, { retryAfterSeconds, id });
  }

  async #begin(request: KeyedRequest, messageId: string | undefined): Promise<void> {
    const { session, keyId, hash, fingerprint, sendsPerHour } = request;
    const limitedKey = sendsPerHour === undefined ? undefined : keyId;
    const counted = [session, ...(limitedKey === undefined ? [] : [`${session}/${limitedKey}`])];
    for (const key of counted) this.#beginning.add(key, 1);
    try {
      await this.#journal.append(keyNotes.begun(session, hash, { fingerprint, messageId, limitedKey }), keyId);
      this.#freed.delete(`${session}/${hash}`);
    } catch (error) {
      if (!(error instanceof NotStoredError)) throw error;
      const why = 'nothing was sent: the disk of the data folder cannot store the Idempotency-Key';
      throw new GatewayError('insufficient_resources', why);
    } finally {
      for (const key of counted) this.#beginning.add(key, -1);
    }
  }

  /**
   * If it cannot be stored, a repeated request looks for the message. An answer that is too long, or for which the shares
   * have no room, is not kept: a repeated request does not send again, but learns only the id.
   */
  async #end({ session, keyId, hash }: KeyedRequest, answer: unknown): Promise<void> {
    const withAnswer = keyNotes.done(session, hash, JSON.stringify(answer));
    const isKept = frameBytesOf(withAnswer) <= MAX_ANSWER_BYTES;
    const kept = isKept ? this.#journal.append(withAnswer, keyId, 'half') : Promise.reject(new Error('too long'));
    await kept.catch(() => this.#journal.append(keyNotes.done(session, hash, ''), keyId, 'nothing')).catch(() => {});
  }

  async #free({ session, keyId, hash }: KeyedRequest): Promise<void> {
    try {
      await this.#journal.append(keyNotes.free(session, hash), keyId, 'nothing');
    } catch {
      this.#freed.add(`${session}/${hash}`);
    }
  }
}

function tooMany(why: string, until: number): GatewayError {
  return new GatewayError('rate_limited', why, { retryAfterSeconds: Math.ceil((until - Date.now()) / SECOND_MS) });
}

function newMessageId(): string {
  return `3EB0${randomBytes(9).toString('hex').toUpperCase()}`;
}

const HASH_BYTES = 16;

/** Equal only for the same parts in the same order. */
export function fingerprintOf(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`);
  return hash.digest().subarray(0, HASH_BYTES).toString('base64url');
}
