import type { PinnedPage } from '@chat-web/protocol';
import type { Config } from '../config.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Cgroups } from '../host/cgroup.ts';
import type { ForeignProcessWatch } from '../host/foreign-process-watch.ts';
import type { HostResources } from '../host/host-resources.ts';
import type { PrivateTmp } from '../host/private-tmp.ts';
import type { Log } from '../log.ts';
import type { Spool } from '../media/spool.ts';
import type { Lineages } from '../moving/lineages.ts';
import type { HostFault } from './host-fault.ts';
import type { PageHistory } from './page-history.ts';
import type { SavedSessions } from './saved-sessions.ts';
import type { StartQueue } from './start-queue.ts';

/** The parts that all sessions share. */
export interface SessionContext {
  readonly config: Config;
  /** Files in transit between gateway and workers. */
  readonly spool: Spool;
  /** Temporary folders of the sessions. */
  readonly tmp: PrivateTmp;
  readonly foreignProcesses: Pick<ForeignProcessWatch, 'look'>;
  readonly cgroups: Cgroups;
  /** The page that all sessions load; undefined: the newest one. */
  readonly pinnedPage: PinnedPage | undefined;
  /** The program of a session's worker. */
  workerProgram(sessionId: string): string;
  readonly saved: SavedSessions;
  readonly lineages: Lineages;
  readonly pageHistory: PageHistory;
  readonly resources: Pick<HostResources, 'shortage'>;
  readonly startQueue: StartQueue;
  readonly hostFault: HostFault;
  /** How many sessions run. */
  countRunning(): number;
  /** A session is linked to the account with this number, in digits. */
  onLinked(id: string, number: string): void;
  readonly events: EventLog;
  readonly log: Log;
}
