import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { sessionId } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Damage } from '../host/damage.ts';
import type { Log } from '../log.ts';
import type { AllFolds } from './all-folds.ts';
import type { JournalRecord, NewRecord } from './frame.ts';
import { type Segment, SegmentReader, segmentsIn } from './segment.ts';

const VERSION = 1;
/** The first record of each segment. */
export const BEGIN: NewRecord = {
  kind: 'begin',
  name: '',
  session: '',
  key: '',
  text: JSON.stringify({ version: VERSION }),
};
/** How many sessions of an earlier process have state. */
const MAX_SESSIONS = 10_000;

/** What a journal has on disk when it is opened. */
export interface Loaded {
  readonly segments: Segment[];
  readonly lastSeq: number;
  /** When the newest segment began, in Unix ms. */
  readonly beganAt: number;
  /** Where the checkpoint of the newest segment ends. */
  readonly checkpointEnd: number;
  /** Nothing in the newest segment is readable: records after it would not be found. */
  readonly isUnreadable: boolean;
}

interface Dependencies {
  readonly folds: AllFolds;
  readonly damage: Pick<Damage, 'setAside' | 'skip'>;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Restores the folds from the newest complete checkpoint, and the records after it. Sets aside or skips what cannot be
 * used, and truncates an incomplete end. Rejects if the folder cannot be read.
 */
export async function load(dir: string, dependencies: Dependencies): Promise<Loaded> {
  const segments = await segmentsIn(dir, dependencies.damage);
  const checkpoint = (await newestCheckpoint(segments, dependencies.damage)) ?? -1;
  const replay = new Replay(dependencies);
  for (const [index, segment] of segments.entries())
    if (index >= checkpoint) await replay.read(segment, segments[index + 1], index === checkpoint);
  const { lastSeq, beganAt, checkpointEnd } = replay;
  const firstSeq = segments.at(-1)?.firstSeq ?? 0;
  return { segments, lastSeq: Math.max(lastSeq, firstSeq), beganAt, checkpointEnd, isUnreadable: lastSeq < firstSeq };
}

/**
 * The index of the newest segment with a complete checkpoint; undefined if there is none. Sets aside segments of a later
 * version.
 */
async function newestCheckpoint(segments: Segment[], damage: Pick<Damage, 'setAside'>): Promise<number | undefined> {
  for (const [index, segment] of [...segments.entries()].reverse()) {
    const checkpoint = await checkpointOf(segment);
    if (checkpoint === 'foreign') {
      await damage.setAside(segment.path, 'another version of the gateway has written it');
      segments.splice(index, 1);
    } else if (checkpoint === 'complete') return index;
  }
  return undefined;
}

/** Whether a segment begins with a complete checkpoint. `foreign`: of another version. */
async function checkpointOf(segment: Segment): Promise<'complete' | 'incomplete' | 'foreign'> {
  let isFirst = true;
  const reader = new SegmentReader(segment, segment.firstSeq, 0);
  for (let chunk = await reader.next(); chunk && !chunk.isAfterDamage; chunk = await reader.next()) {
    for (const frame of chunk.frames) {
      const { kind } = frame;
      if (kind === 'checkpoint_end') return 'complete';
      if (kind === 'begin' ? frame.text !== BEGIN.text : kind !== 'checkpoint')
        return kind === 'begin' && isFirst ? 'foreign' : 'incomplete';
      isFirst = false;
    }
  }
  return 'incomplete';
}

/** Reads segments, the oldest first, and applies their records. */
class Replay {
  readonly #dependencies: Dependencies;
  /** The sessions so far. */
  readonly #known = new Set<string>();
  lastSeq = 0;
  beganAt = 0;
  checkpointEnd = 0;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** `next`: the segment after it, if any. `restores`: also its checkpoint. */
  async read(segment: Segment, next: Segment | undefined, restores: boolean): Promise<void> {
    const { folds } = this.#dependencies;
    const endsBefore = next?.firstSeq ?? Number.POSITIVE_INFINITY;
    const reader = new SegmentReader(segment);
    const now = Date.now();
    let [end, newestAt] = [0, 0];
    this.checkpointEnd = 0;
    for (let chunk = await reader.next(); chunk; chunk = await reader.next()) {
      if (chunk.frames.length > 0) end = chunk.end;
      for (const frame of chunk.frames) {
        if (frame.seq >= endsBefore) break;
        const record = frame.record();
        // A time in the future would keep the segment from expiring.
        const at = Math.min(record.at, now);
        if (record.kind === 'begin') this.beganAt = at;
        this.lastSeq = record.seq;
        newestAt = Math.max(newestAt, at);
        if (record.kind === 'checkpoint_end') this.checkpointEnd = chunk.end;
        if (!this.#isLoaded(record)) continue;
        if (record.kind !== 'checkpoint') folds.apply(record);
        else if (restores) folds.restore(record);
        if (record.kind === 'forget') this.#known.delete(record.session); // It has no state now.
      }
    }
    // Without readable records, it is as old as its file.
    if (newestAt > 0) segment.newestAt = newestAt;
    if (next === undefined && end !== segment.bytes) await this.#truncate(segment, end);
  }

  /** A worker can write to the files: each session takes memory in all folds. */
  #isLoaded({ session }: JournalRecord): boolean {
    if (session === '' || this.#known.has(session)) return true;
    const isAccepted = this.#known.size < MAX_SESSIONS && v.is(sessionId, session);
    if (isAccepted) this.#known.add(session);
    else this.#dependencies.damage.skip('sessions');
    return isAccepted;
  }

  async #truncate(segment: Segment, end: number): Promise<void> {
    this.#dependencies.log.warn({ bytes: segment.bytes - end }, 'incomplete end of the journal removed');
    const file = await open(segment.path, constants.O_RDWR | constants.O_NOFOLLOW);
    try {
      await file.truncate(end);
      await file.datasync();
    } finally {
      await file.close();
    }
    segment.bytes = end;
  }
}
