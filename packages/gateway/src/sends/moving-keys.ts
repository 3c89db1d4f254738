import { GatewayError, type Operation, operations } from '@chat-web/protocol';
import * as v from 'valibot';
import type { NewRecord } from '../journal/frame.ts';
import type { Journal } from '../journal/journal.ts';
import type { StateKeeper } from '../moving/state-keeper.ts';
import { keyNotes, type SentKeys } from './sent-keys.ts';

const SECOND_MS = 1_000;
const MOST_ANSWER_LENGTH = 1_048_576;
/** The total size of the answers: with the most keys that a session can have, a state must stay within its limit. */
const MOST_ANSWERS_LENGTH = 8 * 1_048_576;
/** The answers of operations with a key: a moved answer is returned to callers like any other. */
const keyedAnswer = v.union(
  Object.values<Operation>(operations).flatMap(({ keyed, answer }) => (keyed ? [answer] : [])),
);
const answerText = v.pipe(
  v.string(),
  v.maxLength(MOST_ANSWER_LENGTH),
  v.parseJson(),
  // Other fields are dropped. Another version may use another form: then the answer is dropped.
  v.fallback(v.pipe(keyedAnswer, v.stringifyJson()), ''),
);
const hash = v.pipe(v.string(), v.regex(/^[\w-]{22}$/));
const movedKey = v.strictObject({
  hash,
  fingerprint: hash,
  messageId: v.optional(v.pipe(v.string(), v.regex(/^[0-9A-F]{1,64}$/))),
  beganAt: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER)),
  /** JSON; empty: answered, but the answer is no longer kept. Absent while the outcome is open. */
  answer: v.optional(v.union([v.literal(''), answerText])),
});

/** The Idempotency-Keys of sessions that move, with their answers, which are in the journal. */
export class MovingKeys implements StateKeeper {
  readonly name = 'keys';
  readonly #keys: SentKeys;
  readonly #journal: Pick<Journal, 'findAll'>;

  constructor(keys: SentKeys, journal: Pick<Journal, 'findAll'>) {
    this.#keys = keys;
    this.#journal = journal;
  }

  async *partsOf(session: string): AsyncIterable<v.InferInput<typeof movedKey>> {
    const keys = this.#keys.list(session);
    const seqs = keys.flatMap(([, { doneSeq }]) => doneSeq ?? []);
    const answers = new Map<number, string>();
    for await (const { seq, text } of this.#journal.findAll(seqs)) answers.set(seq, text);
    let length = 0;
    for (const seq of seqs.toReversed()) {
      const { length: more = 0 } = answers.get(seq) ?? '';
      length += more;
      // The oldest are the least likely to be requested.
      if (length > MOST_ANSWERS_LENGTH || more > MOST_ANSWER_LENGTH) answers.delete(seq);
    }
    for (const [ofKey, { fingerprint, messageId, beganAt, doneSeq }] of keys) {
      const answer = doneSeq === undefined ? undefined : (answers.get(doneSeq) ?? '');
      yield { hash: ofKey, fingerprint, messageId, beganAt, answer };
    }
  }

  learn(session: string, part: unknown): NewRecord[] {
    const { hash: ofKey, answer, ...begun } = v.parse(movedKey, part);
    const records = [keyNotes.begun(session, ofKey, begun)];
    return answer === undefined ? records : [...records, keyNotes.done(session, ofKey, answer)];
  }

  requireRoom(session: string, records: readonly NewRecord[]): void {
    const fullUntil = this.#keys.fullForUntil(session, new Set(records.map(({ key }) => key)));
    if (fullUntil === undefined) return;
    if (fullUntil === Infinity) throw new Error('these are more Idempotency-Keys than a session can have');
    throw new GatewayError(
      'insufficient_resources',
      `this gateway still has too many Idempotency-Keys of session ${session}: they expire after 24 hours; nothing was changed`,
      { retryAfterSeconds: Math.ceil((fullUntil - Date.now()) / SECOND_MS) },
    );
  }
}
