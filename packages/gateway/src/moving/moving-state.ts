import { errorText, GatewayError, JsonBounds, LineReader, LineTooLongError } from '@chat-web/protocol';
import * as v from 'valibot';
import { AT_FIRST_FAULT } from '../at-first-fault.ts';
import { yieldToEventLoop } from '../event-loop.ts';
import type { Fold, MovingState, RecordFinder } from '../journal/folds.ts';
import type { NewRecord } from '../journal/frame.ts';
import { ARCHIVE_LIMITS } from './manifest.ts';

const line = v.strictObject({ name: v.pipe(v.string(), v.maxLength(40)), part: v.unknown() });

/** The state that moves with a session. */
export interface MovingStates {
  /** Restored from records in the journal. */
  readonly folds: readonly (Fold & MovingState)[];
  /** Not in the journal: restored directly, before the session is started. */
  readonly others: readonly MovingState[];
}

/** The state of a session: one line of JSON for each part. */
export async function writeState(
  { folds, others }: MovingStates,
  session: string,
  journal: RecordFinder,
): Promise<Buffer> {
  const lines: string[] = [];
  for (const state of [...folds, ...others]) {
    const parts = state.partsToMove?.(session, journal) ?? state.partsOf(session);
    for await (const part of parts) lines.push(`${JSON.stringify({ name: state.name, part })}\n`);
  }
  return Buffer.from(lines.join(''));
}

export interface ArrivedState {
  /** Store these in the journal first: folds restore their parts from them. */
  readonly records: readonly NewRecord[];
  /** Then call this: it restores the parts of state that is not in the journal. */
  restoreOthers(): Promise<void>;
}

/**
 * Reads a state in slices of a few milliseconds. Changes nothing yet. Rejects with `invalid_archive` if a part is
 * invalid, or the state is more than a session can have; with `insufficient_resources` if it does not fit beside state
 * that is here already, and expires.
 */
export async function readState(
  { folds, others }: MovingStates,
  session: string,
  written: Buffer,
): Promise<ArrivedState> {
  const arrived = new Map([...folds, ...others].map((state) => [state.name, { state, parts: [] as unknown[] }]));
  const reader = new LineReader({ maxBytes: ARCHIVE_LIMITS.stateLineBytes });
  reader.feed(written);
  let number = 1;
  try {
    for (let bytes = reader.next(); bytes; bytes = reader.next()) {
      await yieldToEventLoop();
      if (number > ARCHIVE_LIMITS.stateLines) throw new Error('there are too many');
      new JsonBounds(ARCHIVE_LIMITS.stateLineJson, () => new Error('it has too many values')).scan(bytes);
      const { name, part } = v.parse(line, JSON.parse(Buffer.from(bytes).toString('utf8')), AT_FIRST_FAULT);
      const known = arrived.get(name);
      if (!known) throw new Error('it has an unknown name');
      known.parts.push(v.parse(known.state.part, part, AT_FIRST_FAULT));
      number += 1;
    }
  } catch (error) {
    throw new GatewayError(
      'invalid_archive',
      `the state in the archive has an invalid line ${number}: ${whyInvalid(error)}; nothing was changed`,
    );
  }
  if (written.length > 0 && written.at(-1) !== NEWLINE)
    throw new GatewayError('invalid_archive', 'the state in the archive is incomplete; nothing was changed');
  for (const { state, parts } of arrived.values()) requireRoom(state, session, parts);
  const partsOf = ({ name }: MovingState) => arrived.get(name)?.parts ?? [];
  return {
    records: folds.flatMap((fold) => recordsOf(fold, session, partsOf(fold))),
    restoreOthers: async () => {
      for (const state of others) {
        const parts = partsOf(state);
        if (parts.length === 0) await state.clear?.(session);
        for (const part of parts) await state.restore(session, part, 0);
      }
    },
  };
}

function recordsOf({ name }: MovingState, session: string, parts: readonly unknown[]): NewRecord[] {
  return parts.map((part) => ({ kind: 'moved', name, session, key: '', text: JSON.stringify(part) }));
}

function requireRoom(state: MovingState, session: string, parts: readonly unknown[]): void {
  try {
    state.requireRoom?.(session, parts);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw new GatewayError(
      'invalid_archive',
      `the archive has too much state: ${errorText(error)}; nothing was changed`,
    );
  }
}

const NEWLINE = 10;
const MAX_PER_PORTION = 50;
const PORTION_LENGTH = 262_144;

/**
 * Splits records into portions that can be appended at once. All sessions share the journal's queue, and if it
 * overflows, other sessions lose events.
 */
export function* portionsOf(records: readonly NewRecord[]): Generator<readonly NewRecord[]> {
  let portion: NewRecord[] = [];
  let length = 0;
  for (const record of records) {
    length += record.text.length;
    if (portion.length > 0 && (length > PORTION_LENGTH || portion.length === MAX_PER_PORTION)) {
      yield portion;
      portion = [];
      length = record.text.length;
    }
    portion.push(record);
  }
  if (portion.length > 0) yield portion;
}

/** Without values and names from the archive. */
function whyInvalid(error: unknown): string {
  if (error instanceof SyntaxError) return 'it is not JSON';
  if (error instanceof LineTooLongError) return 'it is too long';
  return v.isValiError(error) ? 'it has invalid data' : errorText(error);
}
