import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Spool } from '../media/spool.ts';
import type { StreamCount } from './event-hub.ts';
import type { SavedSessions } from './saved-sessions.ts';
import type { StartQueue } from './start-queue.ts';

/** What all sessions share. */
export interface SessionContext {
  readonly config: Config;
  /** Where bytes lie that are on their way between gateway and workers. */
  readonly spool: Spool;
  readonly saved: SavedSessions;
  readonly startQueue: StartQueue;
  readonly streamCount: StreamCount;
  readonly log: Log;
}
