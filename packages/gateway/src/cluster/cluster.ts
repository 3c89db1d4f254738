import type { AnswerOf, aboutHost, SessionView } from '@chat-web/protocol';
import type * as v from 'valibot';
import type { KeyStore } from '../access/key-store.ts';

export type AboutHost = v.InferOutput<typeof aboutHost>;

/** The end of the journal: what is on this disk. */
export interface JournalEnd {
  readonly lastSeq: number;
  idOf(seq: number): string;
  /** Undefined for an id that this journal has not issued. */
  seqOf(id: string): number | undefined;
}

/** Another gateway of the cluster. */
export interface Peer {
  /** Of its host. */
  readonly id: string;
  readonly name: string;
  /** It has not been heard of for 30 s. */
  readonly isLost: boolean;
  /** The base URL of its API; absent if it has never started. */
  readonly address: string | undefined;
  /** Of what it forwards, in DER. */
  readonly publicKey: Buffer | undefined;
}

/** What a gateway tells the cluster once its sessions are loaded. */
export interface OwnGateway {
  /** Where the others reach it: the base URL of its API. */
  readonly address: string;
  about(): AboutHost;
  views(): SessionView[];
  /** Another gateway has claimed the data folder. */
  onDisplaced(): void;
}

/** What a forwarded request says of its caller. */
export interface ForwardedFor {
  readonly address: string;
}

export type HostView = AnswerOf<'listHosts'>['hosts'][number];

/** The hosts that share the sessions, of which this gateway is one. */
export interface Cluster {
  /** True for a gateway without a cluster. */
  readonly isAlone: boolean;
  /**
   * Resolves once the last gateway of the data folder has given it up. Nothing in the folder may be changed before.
   * Rejects with a ConfigError if the folder is an older copy, or belongs to no host.
   */
  waitForFolder(): Promise<void>;
  /** Resolves once this gateway may run the sessions of its data folder. Rejects as above. */
  claim(journal: JournalEnd): Promise<void>;
  /**
   * Tells the others of this gateway and its sessions, from now on. Resolves with those of its sessions that belong to
   * another host, which must not run here.
   */
  begin(own: OwnGateway): Promise<string[]>;
  /**
   * The gateway that has a session, if it is another one; undefined: this one has it, or none. `isNew`: a session that
   * no host has is placed where there is room. `notOn`: hosts that do not answer, so that a session that has not
   * started there gets another. `host_unreachable` if its gateway has never started.
   */
  ownerOf(
    session: string,
    options: { readonly isNew: boolean; readonly notOn?: readonly string[] },
  ): Promise<Peer | undefined>;
  /** Reads again which host has which session. Never rejects. */
  refresh(): Promise<void>;
  /** The sessions of all hosts, by their ids. `own`: those of this gateway. */
  allViews(own: readonly SessionView[]): readonly SessionView[];
  /** A session of another host. */
  foreignView(session: string): SessionView | undefined;
  /** The value of the header of a request that is forwarded. `request`: its method and path. */
  signHop(request: string, address: string): string;
  /** For whom another gateway forwards a request; undefined if its header is not valid. */
  verifyHop(header: string, request: string): Promise<ForwardedFor | undefined>;
  /** The keys of all hosts; undefined without a cluster. `ownFile`: with the keys of this host from before it joined. */
  keyStore(ownFile: string): KeyStore | undefined;
  hosts(): Promise<HostView[]>;
  /** An operator has checked that the machine of a host is off. `host_not_found`, `host_is_live`. */
  confirmOff(id: string): Promise<HostView>;
  /** Nothing of this gateway runs any more: another one may claim the folder. Never rejects. */
  release(): Promise<void>;
}
