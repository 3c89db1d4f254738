import type { PinnedPage } from '@chat-web/protocol';
import type { Config } from '../config.ts';
import type { EventLog } from '../events/event-log.ts';
import type { SessionMetadata } from '../events/session-metadata.ts';
import type { Cgroups } from '../host/cgroup.ts';
import type { ForeignProcessWatch } from '../host/foreign-process-watch.ts';
import type { PrivateTmp } from '../host/private-tmp.ts';
import type { Log } from '../log.ts';
import type { Spool } from '../media/spool.ts';
import type { HostFault } from './host-fault.ts';
import type { Lineages } from './lineages.ts';
import type { PageHistory } from './page-history.ts';
import type { ProxyCheck } from './proxy-check.ts';
import type { SavedSessions } from './saved-sessions.ts';
import type { SessionSettings } from './session-settings.ts';
import type { StartQueue } from './start-queue.ts';

export interface SessionDependencies {
  readonly config: Config;
  readonly spool: Spool;
  readonly tmp: PrivateTmp;
  readonly foreignProcesses: Pick<ForeignProcessWatch, 'scanSoon'>;
  readonly cgroups: Cgroups;
  /** The page that all sessions load; undefined: the newest one. */
  readonly pinnedPage: PinnedPage | undefined;
  workerProgram(sessionId: string): string;
  readonly saved: SavedSessions;
  readonly lineages: Lineages;
  readonly pageHistory: PageHistory;
  /** What the host lacks for another browser; `returnedBytes`: memory of the one that it replaces. */
  shortage(returnedBytes?: number): Promise<string | undefined>;
  /** The sessions of other hosts that are linked to an account, with its number in digits. */
  numbersElsewhere(): { readonly id: string; readonly number: string }[];
  /** Resolves once the sessions of this data folder may run here; rejects if the signal aborts first. */
  mayRun(signal: AbortSignal): Promise<void>;
  /** See `WorkerOptions`. */
  readonly gatewayTimeoutMs: number | undefined;
  readonly startQueue: StartQueue;
  readonly hostFault: HostFault;
  readonly events: EventLog;
  readonly metadata: Pick<SessionMetadata, 'of'>;
  readonly settings: SessionSettings;
  readonly proxyCheck: ProxyCheck;
  readonly log: Log;
}

export interface OtherSessions {
  readonly running: number;
  /** Returns sessions with a pairing code for this number to the QR: `holder` has its account. */
  endPairingCodes(number: string, holder: string): void;
}
