import type { AnswerOf, aboutHost, SessionView } from '@chat-web/protocol';
import type * as v from 'valibot';
import type { KeyStore } from '../access/key-store.ts';
import type { EventSource, MetadataOf } from '../events/feed.ts';
import type { WebhookEvents } from '../events/webhook-events.ts';
import type { Cursor } from '../journal/cursor.ts';
import type { WebhookFile } from '../webhooks/webhook-file.ts';
import type { WebhookStore } from '../webhooks/webhook-store.ts';

export type AboutHost = v.InferOutput<typeof aboutHost>;
export type MoveView = AnswerOf<'moveSession'>;
export type ChosenMove = AnswerOf<'rebalanceHosts'>['moves'][number];

/** The end of the journal: what is on this disk. */
export interface JournalEnd {
  readonly lastSeq: number;
  idOf(seq: number): string;
  /** Undefined for an id that this journal has not issued. */
  seqOf(id: string): number | undefined;
}

/** The journal of this gateway, from which the events of all hosts are put together. */
export interface OwnJournal extends JournalEnd {
  /** The last seq when it was opened. */
  readonly openedAfter: number;
  /** A reader of all events after a seq, and of deletions of sessions. */
  cursorOfAll(after: number): Cursor;
  /** Called each time new records can be read, until the returned function is called. */
  onCommit(listener: () => void): () => void;
  /** From now on, records after the seq that `seq` returns do not expire. */
  keepAfter(seq: () => number): void;
}

/** What readers of events get besides these. */
export interface ForReaders {
  /** Returns the metadata of a session of any host. */
  readonly metadataOf: MetadataOf;
  /** Counts gaps, by reason. */
  readonly gaps: Map<string, number>;
}

/** Another gateway of the cluster. */
export interface Peer {
  /** The id of its host. */
  readonly id: string;
  readonly name: string;
  /** It has sent no heartbeat for 30 s. */
  readonly isLost: boolean;
  /** The base URL of its API; absent if it has never started. */
  readonly address: string | undefined;
  /** Verifies what it forwards; in DER. */
  readonly publicKey: Buffer | undefined;
}

/** What the others know of a session. `number`: of the account that it is linked to, in digits. */
export type ReportedSession = SessionView & { readonly number?: string | undefined };

/** The sessions of this host, for moves. */
export interface OwnSessions {
  /** All sessions that it has, except `placed`. */
  views(): ReportedSession[];
  /** The sessions that moves have placed here without being committed yet. */
  placed(): string[];
  /** The sessions that have moved to another host, while their folders are still here. */
  moved(): string[];
  /** The sessions that can be moved; the one that has been idle for the longest time comes first. */
  movable(): string[];
  /** True for one that may run here. */
  isHere(session: string): boolean;
  /** Rejects if a session could not arrive here now. */
  requireRoom(session: string): Promise<void>;
  /** Places a session that arrives, commits the move, and starts it. Resolves once it is up, or has failed. */
  arrive(session: string, archive: ArrivingArchive, move: ArrivingMove): Promise<void>;
  /**
   * The session belongs to this host: if it was moved or placed, it may run again, and starts if it is to. Waits for an
   * export. Returns whether it was moved or placed.
   */
  takeBack(session: string, starts: boolean): Promise<boolean>;
  stop(session: string): Promise<void>;
  /** Removes the folder of a session that belongs to another host. */
  discard(session: string): Promise<void>;
}

export interface ArrivingArchive {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly contentDigest: string | null;
}

export interface ArrivingMove {
  /** False for a session that was stopped. */
  readonly starts: boolean;
  /**
   * Called once the session is complete here. True: it belongs to this host now. False: it never will. Rejects if the
   * gateway stops before that is known.
   */
  commit(): Promise<boolean>;
}

/** A gateway of the cluster, once its sessions are loaded. */
export interface OwnGateway {
  /** Where the others reach it: the base URL of its API. */
  readonly address: string;
  about(): AboutHost;
  readonly sessions: OwnSessions;
  /** A host is lost, and this gateway has to publish that. `sessions`: those that it has, as they are shown now. */
  onHostLost(sessions: readonly SessionView[]): void;
  /** The others had marked this host as lost, and published that in the streams of its sessions. */
  onFound(): void;
  /** Nothing of this gateway may run any more: `why` it has lost its data folder. */
  onFolderLost(why: string): void;
}

export interface ForwardedRequest {
  /** Its method and path. */
  readonly request: string;
  /** The IP address of the caller. */
  readonly address: string;
  /** The host that it is for. */
  readonly to: string;
}

/** The caller of a forwarded request. */
export interface ForwardedFor {
  readonly address: string;
  /** The host that forwards. */
  readonly from: string;
}

export type HostView = AnswerOf<'listHosts'>['hosts'][number];

/** What delivers webhooks, as long as this gateway has them. */
export interface WebhookDeliverer {
  /** Reads those that are stored. */
  load(): Promise<void>;
  /** Delivers, from now on. */
  start(): Promise<void>;
  stop(): void;
  /** Another gateway has them. */
  unload(): void;
}

/** The webhooks of all hosts, which one gateway at a time delivers. */
export interface ClusterWebhooks {
  readonly store: WebhookStore;
  readonly events: WebhookEvents;
  /** Starts `deliverer` whenever this gateway becomes the one that delivers, and stops it afterwards. */
  deliverBy(deliverer: WebhookDeliverer): void;
  /** Another gateway may deliver them at once. Never rejects. */
  leave(): Promise<void>;
}

/** The hosts that share the sessions, of which this gateway is one. */
export interface Cluster {
  /** True for a gateway without a cluster. */
  readonly isAlone: boolean;
  /** The name of this host; undefined without a cluster. */
  readonly hostName: string | undefined;
  /**
   * Resolves once the last gateway of the data folder has given it up. Nothing in the folder may be changed before.
   * `onWaiting` is called every few seconds until then.
   * Rejects with a ConfigError if the folder is an older copy, or belongs to no host.
   */
  waitForFolder(onWaiting: () => void): Promise<void>;
  /** Resolves once this gateway may run the sessions of its data folder. Rejects as above. */
  claim(journal: OwnJournal): Promise<void>;
  /**
   * Resolves once the sessions of the data folder may run here: at once, unless this process did not run for so long
   * that another gateway may have claimed the folder. Rejects if the signal aborts first.
   */
  mayRun(signal: AbortSignal): Promise<void>;
  /** After this long without a sign of this gateway, its workers end their browsers; undefined: never. */
  readonly gatewayTimeoutMs: number | undefined;
  /**
   * Publishes this gateway and its sessions to the others, from now on. Resolves with those of its sessions that belong
   * to another host, which must not run here.
   */
  begin(own: OwnGateway): Promise<string[]>;
  /**
   * The gateway that has a session, if it is another one; undefined: this one has it, or none. `isNew`: a session that
   * no host has is placed where there is room, or on the host with the id or name `wanted`. `notOn`: hosts that do not answer, so that a session that has not
   * started there gets another. `host_unreachable` if its gateway has never started, `host_not_found`,
   * `insufficient_resources`.
   */
  ownerOf(
    session: string,
    options: { readonly isNew: boolean; readonly notOn?: readonly string[]; readonly wanted?: string | undefined },
  ): Promise<Peer | undefined>;
  /** Reads again which host has which session. Never rejects. */
  refresh(): Promise<void>;
  /** The sessions of all hosts, by their ids. `own`: those of this gateway. */
  allViews(own: readonly SessionView[]): readonly SessionView[];
  /** The sessions of other hosts that are linked to an account, with its number in digits. */
  numbersElsewhere(): { readonly id: string; readonly number: string }[];
  /** A session of another host. */
  foreignView(session: string): SessionView | undefined;
  /** The value of the header of a request that is forwarded. */
  signHop(hop: ForwardedRequest): string;
  /** For whom another gateway forwards a request; undefined if its header is not valid. */
  verifyHop(header: string, request: string): Promise<ForwardedFor | undefined>;
  /** The events of all hosts; undefined without a cluster. */
  events(forReaders: ForReaders): EventSource | undefined;
  /** How many records of the journal the others cannot read yet, and for how long. */
  readonly unshipped: { readonly records: number; readonly ms: number };
  /** Resolves once the others can read all that is in the journal now; with false if that takes too long. */
  shipped(): Promise<boolean>;
  /** The keys of all hosts; undefined without a cluster. `ownFile`: with the keys of this host from before it joined. */
  keyStore(ownFile: string): KeyStore | undefined;
  /** Undefined without a cluster. `own`: those of this host from before it joined, which are added. */
  webhooks(own: WebhookFile): ClusterWebhooks | undefined;
  /**
   * The gateway that delivers the webhooks, if it is another one. `host_unreachable` if that is not known, or while this
   * one takes over.
   */
  webhooksAt(): Peer | undefined;
  /** Reads again which one that is. Never rejects. */
  refreshWebhooks(): Promise<void>;
  hosts(): Promise<HostView[]>;
  /** `host_not_found`. */
  host(id: string): Promise<HostView>;
  /** Begins or ends the drain of a host. `host_not_found`. */
  drain(id: string, isDraining: boolean): Promise<HostView>;
  /** Removes a host with its sessions. `host_not_found`, `host_is_live`. */
  remove(id: string): Promise<void>;
  /** Asks for the moves that balance the hosts, or only returns them. */
  rebalance(options: { readonly dryRun: boolean }): Promise<ChosenMove[]>;
  moves(): Promise<MoveView[]>;
  /**
   * Moves a session to the host with this id or name, or to the roomiest. Resolves once the move has ended, or after
   * 30 s. `session_not_found`, `host_not_found`, `insufficient_resources`.
   */
  move(session: string, to: string | undefined): Promise<MoveView>;
  /** True while calls of a session have to wait: a move has stopped it, or it has just arrived here. */
  isMoving(session: string): boolean;
  /** Waits until they need not wait any more. False if the time is up first. */
  moved(session: string, timeoutMs: number): Promise<boolean>;
  /** True if a session is being moved from this host to that one. */
  mayTake(session: string, host: string): Promise<boolean>;
  /** An operator has checked that the machine of a host is off. `host_not_found`, `host_is_live`. */
  confirmOff(id: string): Promise<HostView>;
  /** Nothing of this gateway runs any more: another one may claim the folder. Never rejects. */
  release(): Promise<void>;
}
