import { errorText, GatewayError, LineReader, LineTooLongError } from '@chat-web/protocol';
import * as v from 'valibot';
import { yieldToEventLoop } from '../event-loop.ts';
import type { NewRecord } from '../journal/frame.ts';
import { ARCHIVE_LIMITS } from './manifest.ts';
import type { StateKeeper } from './state-keeper.ts';

/** A line of the state. */
const line = v.strictObject({ keeper: v.pipe(v.string(), v.maxLength(40)), part: v.unknown() });

/** The state that all keepers have of a session: one line of JSON for each part. */
export async function writeState(keepers: readonly StateKeeper[], session: string): Promise<Buffer> {
  const lines: string[] = [];
  for (const keeper of keepers)
    for await (const part of keeper.partsOf(session)) lines.push(`${JSON.stringify({ keeper: keeper.name, part })}\n`);
  return Buffer.from(lines.join(''));
}

/** The changes that make keepers know a state. */
export interface Lesson {
  /** Store these in the journal first. */
  readonly records: readonly NewRecord[];
  /** Then call these. */
  readonly last: readonly (() => void)[];
}

/**
 * Reads a state in slices of a few milliseconds. Changes nothing yet. Rejects with `invalid_archive` if a part is
 * invalid, or the state is more than a session can have; with `insufficient_resources` if it does not fit beside state
 * that is here already, and expires.
 */
export async function readState(keepers: readonly StateKeeper[], session: string, state: Buffer): Promise<Lesson> {
  const byName = new Map(keepers.map((keeper) => [keeper.name, keeper]));
  const records = new Map(keepers.map((keeper) => [keeper, [] as NewRecord[]]));
  const last: (() => void)[] = [];
  const reader = new LineReader({ mostBytes: ARCHIVE_LIMITS.stateLineBytes });
  reader.feed(state);
  let number = 1;
  try {
    for (let bytes = reader.next(); bytes; bytes = reader.next()) {
      await yieldToEventLoop();
      const { keeper: name, part } = v.parse(line, JSON.parse(Buffer.from(bytes).toString('utf8')));
      const keeper = byName.get(name);
      if (!keeper) throw new Error('it is of an unknown keeper');
      const learned = keeper.learn(session, part);
      if (typeof learned === 'function') last.push(learned);
      else records.get(keeper)?.push(...learned);
      number += 1;
    }
  } catch (error) {
    const why = error instanceof LineTooLongError ? 'it is too long' : shortText(error);
    throw new GatewayError(
      'invalid_archive',
      `the archive has a state with an invalid line ${number}: ${why}; nothing was changed`,
    );
  }
  if (state.length > 0 && state.at(-1) !== NEWLINE)
    throw new GatewayError('invalid_archive', 'the archive has a state that is incomplete; nothing was changed');
  for (const [keeper, ofKeeper] of records) requireRoom(keeper, session, ofKeeper);
  return { records: [...records.values()].flat(), last };
}

function requireRoom(keeper: StateKeeper, session: string, records: readonly NewRecord[]): void {
  try {
    keeper.requireRoom?.(session, records);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw new GatewayError(
      'invalid_archive',
      `the archive has too much state: ${errorText(error)}; nothing was changed`,
    );
  }
}

const NEWLINE = 10;
const MOST_IN_A_PORTION = 50;
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
    if (portion.length > 0 && (length > PORTION_LENGTH || portion.length === MOST_IN_A_PORTION)) {
      yield portion;
      portion = [];
      length = record.text.length;
    }
    portion.push(record);
  }
  if (portion.length > 0) yield portion;
}

const MOST_TEXT = 200;

/** The error without values from the archive; field names may be arbitrary. */
function shortText(error: unknown): string {
  return error instanceof SyntaxError ? 'it is not JSON' : errorText(error).slice(0, MOST_TEXT);
}
