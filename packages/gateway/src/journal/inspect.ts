import type { JournalRecord } from './frame.ts';
import { type Segment, SegmentReader, segmentsIn } from './segment.ts';

/** Called while a journal is read. */
export interface Inspector {
  onSegment(segment: Segment): void;
  onRecord(record: JournalRecord): void;
  /** Records after `afterSeq` are unreadable. `atEnd`: nothing readable follows in the newest segment. */
  onDamage(segment: Segment, afterSeq: number, atEnd: boolean): void;
}

/**
 * Reads a journal from its beginning, without changing it, even while a gateway writes to it. Rejects if the folder
 * cannot be read.
 */
export async function inspectJournal(dir: string, inspector: Inspector): Promise<void> {
  const segments = await segmentsIn(dir, { clean: false });
  let lastSeq = 0;
  for (const [index, segment] of segments.entries()) {
    inspector.onSegment(segment);
    const endsBefore = segments[index + 1]?.firstSeq ?? Number.POSITIVE_INFINITY;
    const reader = new SegmentReader(segment);
    for (let chunk = await reader.next(); chunk; chunk = await reader.next()) {
      const isEnd = chunk.frames.length === 0 && index === segments.length - 1;
      if (chunk.isAfterDamage) inspector.onDamage(segment, lastSeq, isEnd);
      for (const frame of chunk.frames) {
        if (frame.seq >= endsBefore) break;
        lastSeq = frame.seq;
        inspector.onRecord(frame.record());
      }
    }
  }
}
