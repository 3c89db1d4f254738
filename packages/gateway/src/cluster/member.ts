import { setTimeout as delay } from 'node:timers/promises';
import { aboutHost, deferred, errorText, GatewayError, type SessionView, settledWithin } from '@chat-web/protocol';
import * as v from 'valibot';
import type { KeyStore } from '../access/key-store.ts';
import type { Config } from '../config.ts';
import type { EventSource } from '../events/feed.ts';
import { totalMemoryBytes } from '../host/available-memory.ts';
import type { Log } from '../log.ts';
import type { WebhookFile } from '../webhooks/webhook-file.ts';
import { requestArchive } from './archive-request.ts';
import type {
  ChosenMove,
  Cluster,
  ForReaders,
  ForwardedFor,
  ForwardedRequest,
  HostView,
  MoveView,
  OwnGateway,
  OwnJournal,
  OwnSessions,
  Peer,
} from './cluster.ts';
import { Directory, type HostRow } from './directory.ts';
import { DiskProbe } from './disk-probe.ts';
import { Engine } from './engine.ts';
import { FolderClaim } from './folder-claim.ts';
import { HopSigner, verifyHop } from './hop.ts';
import { folderIdentityOf } from './machine.ts';
import { Moves } from './moves.ts';
import { SharedKeys } from './shared-keys.ts';
import { SharedLog } from './shared-log.ts';
import { SharedWebhooks } from './shared-webhooks.ts';
import { Shipper } from './shipper.ts';

const BEAT_MS = 5_000;
/** The service manager waits 30 s for the whole stop. */
const RELEASE_MS = 3_000;
/** The last events have this long before the release. */
const LAST_SHIPPED_MS = 1_000;
/** The longest and the shortest time between two readings of what has changed. */
const [REFRESH_MS, MIN_REFRESH_MS] = [1_000, 50];
const REPORT_MS = 900;
const RETRY_MS = 2_000;
/** The age and the size of the events in the database are checked at this interval. */
const TEND_MS = 10 * 60_000;
/** The last events of a session that leaves have this long to reach the database. */
const SHIPPED_MS = 5_000;
/** Workers end their browsers, and another gateway may claim the folder, some time after the last beat. */
const GATEWAY_TIMEOUT_MS = 30_000;
/** A process that did not run for this long asks the database before it starts a browser. */
const MAX_OVERSLEPT_MS = 20_000;
/** A host without a heartbeat for this long may be lost: see `mark_lost`. */
const LATE_MS = 15_000;

/** The memory that the machine and the gateway need, and that of a session with its browser. */
const [OWN_BYTES, SESSION_BYTES] = [500 * 1_048_576, 400 * 1_048_576];

type MemberConfig = Pick<
  Config,
  'dataDir' | 'clusterSessions' | 'clusterDisk' | 'clusterEventsMaxBytes' | 'journalMaxAgeMs'
>;

/** This gateway as a host of a cluster. */
export class Member implements Cluster {
  readonly isAlone = false;
  readonly #config: MemberConfig;
  readonly #log: Log;
  readonly #engine: Engine;
  readonly #folder: FolderClaim;
  readonly #directory: Directory;
  readonly #signer = new HopSigner();
  readonly #stopping = new AbortController();
  readonly #moves: Moves;
  readonly #events: SharedLog;
  #journal: OwnJournal | undefined;
  #shipper: Shipper | undefined;
  #notedAt = { monotonic: performance.now(), wall: Date.now() };
  /** Resolves when another gateway has changed something. */
  #changed = deferred();
  /** Resolves when there are new events. */
  #added = deferred();
  /** False until the next beat has arrived, after this process did not run for a while. */
  #isConfirmed = true;
  #keys: SharedKeys | undefined;
  #webhooks: SharedWebhooks | undefined;
  #beating: Promise<unknown> = Promise.resolve();

  private constructor(config: MemberConfig, log: Log, engine: Engine, folder: FolderClaim) {
    this.#config = config;
    this.#log = log;
    this.#engine = engine;
    this.#folder = folder;
    this.#directory = new Directory(engine, folder.host);
    this.#events = new SharedLog(engine);
    this.#moves = new Moves({
      engine,
      directory: this.#directory,
      own: folder.host,
      epoch: () => folder.epoch,
      request: (host, session) => {
        const peer = this.#directory.peer(host);
        if (!peer) throw new GatewayError('host_unreachable', 'the host of the session is unknown');
        const sign = (request: string) => this.signHop({ request, address: '', to: host });
        return requestArchive(peer, session, { sign, signal: this.#stopping.signal });
      },
      stopping: this.#stopping.signal,
      log,
    });
  }

  static async open(config: MemberConfig, urls: readonly string[], log: Log): Promise<Member> {
    const engine = await Engine.open(urls, log);
    return new Member(config, log, engine, await FolderClaim.open(config, engine, log));
  }

  async waitForFolder(onWaiting: () => void): Promise<void> {
    await this.#folder.untilFree(onWaiting);
  }

  readonly gatewayTimeoutMs = GATEWAY_TIMEOUT_MS;

  async mayRun(signal: AbortSignal): Promise<void> {
    this.#noteTime();
    while (!this.#isConfirmed) {
      await delay(REFRESH_MS, undefined, { signal });
    }
  }

  /** Both clocks: one of them stops while a machine is suspended, the other can be set. */
  #noteTime(): void {
    const now = { monotonic: performance.now(), wall: Date.now() };
    const overslept = Math.max(now.monotonic - this.#notedAt.monotonic, now.wall - this.#notedAt.wall);
    this.#notedAt = now;
    if (overslept < MAX_OVERSLEPT_MS) return;
    this.#log.warn({ seconds: Math.round(overslept / 1_000) }, 'gateway was not running, data folder checked');
    this.#isConfirmed = false;
  }

  async claim(journal: OwnJournal): Promise<void> {
    await this.#folder.claim(journal);
    this.#journal = journal;
    this.#notedAt = { monotonic: performance.now(), wall: Date.now() };
    this.#shipper = new Shipper({
      engine: this.#engine,
      journal,
      onShipped: (records, last) => {
        if (!this.#events.add(records, last) && this.#events.isBefore(last)) this.#added.resolve();
      },
      host: this.#folder.host,
      epoch: () => this.#folder.epoch,
      stopping: this.#stopping.signal,
      log: this.#log,
    });
  }

  async begin(own: OwnGateway): Promise<string[]> {
    const foreign = await this.#announce(own, true).catch((error: unknown) => {
      if (!(error instanceof GatewayError)) throw error;
      return undefined; // It has just claimed its folder: an outage since then stops no session.
    });
    // Readers begin where the events are now.
    await settledWithin(
      this.#events.refresh().catch(() => {}),
      RETRY_MS,
    );
    const probe = new DiskProbe(this.#config.dataDir, (await folderIdentityOf(this.#config.dataDir)).folder);
    void probe.watch(this.#stopping.signal).then((why) => {
      if (why !== undefined) own.onFolderLost(`the data folder is lost: ${why}`);
    });
    const listening = this.#engine.listen(
      {
        chat_web: () => this.#changed.resolve(),
        chat_web_log: (notice) => {
          const [last, host] = notice.split(' ');
          if (host !== this.#folder.host && this.#events.isBefore(Number(last))) this.#added.resolve();
        },
      },
      this.#stopping.signal,
    );
    this.#beating = Promise.all([
      listening,
      this.#beat(own),
      this.#keepDirectory(own, foreign !== undefined),
      this.#shipper?.run(),
      this.#followEvents(),
      this.#keepWebhooks(),
    ]);
    return foreign ?? [];
  }

  async ownerOf(
    session: string,
    { isNew, notOn = [], wanted }: Parameters<Cluster['ownerOf']>[1],
  ): Promise<Peer | undefined> {
    const known = this.#directory.hostOf(session);
    if (known === undefined || (isNew && notOn.includes(known))) {
      // It may be new.
      if (isNew) await this.#directory.place(session, notOn, wanted);
      else await this.#directory.refresh();
    }
    const host = this.#directory.hostOf(session);
    if (host === undefined || host === this.#folder.host) return undefined;
    const peer = this.#directory.peer(host);
    if (peer?.address === undefined)
      throw new GatewayError('host_unreachable', 'the host of the session has never started');
    return peer;
  }

  get hostName(): string | undefined {
    return this.#directory.ownName;
  }

  async refresh(): Promise<void> {
    // What is known may be right.
    await Promise.allSettled([this.#directory.refresh(), this.#directory.readHosts()]);
  }

  allViews(own: readonly SessionView[]): SessionView[] {
    return this.#directory.allViews(own);
  }

  foreignView(session: string): SessionView | undefined {
    return this.#directory.foreignView(session);
  }

  signHop(hop: ForwardedRequest): string {
    return this.#signer.sign({ from: this.#folder.host, ...hop });
  }

  async verifyHop(header: string, request: string): Promise<ForwardedFor | undefined> {
    const keyOf = (host: string) => this.#directory.peer(host)?.publicKey;
    const about = { request, to: this.#folder.host };
    const hop = verifyHop(header, about, keyOf);
    if (hop) return hop;
    // Its gateway may have started since. Anyone can send such a header: the database is not asked for each.
    await this.#directory.readHostsOnceASecond().catch(() => {});
    return verifyHop(header, about, keyOf);
  }

  events(forReaders: ForReaders): EventSource {
    this.#events.forReaders = forReaders;
    return this.#events;
  }

  get unshipped(): { readonly records: number; readonly ms: number } {
    return { records: this.#shipper?.lag ?? 0, ms: this.#shipper?.lagMs ?? 0 };
  }

  async shipped(): Promise<boolean> {
    return (await this.#shipper?.untilEnd(SHIPPED_MS)) ?? true;
  }

  async #followEvents(): Promise<void> {
    const { signal } = this.#stopping;
    let [checkAt, tendAt] = [0, 0];
    while (!signal.aborted) {
      await this.#attempt('events', async () => {
        if (performance.now() < checkAt) return this.#events.follow();
        if (await this.#events.refresh()) this.#shipper?.again();
        await this.#engine.query('SELECT chat_web.purge_forgotten()');
        checkAt = performance.now() + REFRESH_MS;
        if (performance.now() < tendAt) return;
        tendAt = performance.now() + TEND_MS;
        await this.#tendEvents();
      });
      await settledWithin(this.#added.promise, REFRESH_MS);
      this.#added = deferred();
    }
  }

  async #tendEvents(): Promise<void> {
    const { clusterEventsMaxBytes, journalMaxAgeMs } = this.#config;
    for (;;) {
      const [row] = await this.#engine.query<{ is_dropped: boolean }>(
        'SELECT chat_web.tend_log($1, $2) AS is_dropped',
        [clusterEventsMaxBytes, journalMaxAgeMs],
      );
      if (!row?.is_dropped) return;
      this.#log.info('oldest events dropped from the database');
    }
  }

  keyStore(ownFile: string): KeyStore {
    this.#keys = new SharedKeys(this.#engine, ownFile);
    return this.#keys;
  }

  webhooks(own: WebhookFile): SharedWebhooks {
    this.#webhooks = new SharedWebhooks(own, {
      engine: this.#engine,
      events: this.#events,
      host: this.#folder.host,
      epoch: () => this.#folder.epoch,
      shipped: () => (this.#shipper?.hasCaughtUp ? this.#journal : undefined),
      refreshKeys: async () => this.#keys?.refresh(),
      log: this.#log,
    });
    return this.#webhooks;
  }

  webhooksAt(): Peer | undefined {
    const host = this.#webhooks?.requireHost();
    if (host === this.#folder.host) return undefined;
    const peer = host === undefined ? undefined : this.#directory.peer(host);
    if (peer?.address === undefined)
      throw new GatewayError('host_unreachable', 'it is not known which host delivers the webhooks: try again', {
        retryAfterSeconds: RETRY_MS / 1_000,
      });
    return peer;
  }

  async refreshWebhooks(): Promise<void> {
    await this.#webhooks?.find().catch(() => {}); // What is known may be right.
  }

  async #keepWebhooks(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#attempt('webhooks', async () => this.#webhooks?.keep());
      await delay(REFRESH_MS, undefined, { signal }).catch(() => {});
    }
  }

  async hosts(): Promise<HostView[]> {
    const rows = await this.#directory.readHosts();
    const webhooksAt = this.#webhooks?.knownHost;
    return rows.map((row) => hostViewOf(row, this.#folder.host, webhooksAt));
  }

  async confirmOff(id: string): Promise<HostView> {
    const host = await this.host(id);
    const [row] = await this.#engine.query<{ is_off: boolean }>('SELECT chat_web.confirm_off($1) AS is_off', [id]);
    if (!row?.is_off)
      throw new GatewayError('host_is_live', `the last beat of host ${host.name} is less than 30 s ago: it is not off`);
    return this.host(id);
  }

  async host(id: string): Promise<HostView> {
    const host = (await this.hosts()).find((one) => one.id === id);
    if (host) return host;
    throw new GatewayError('host_not_found', 'there is no host with this id');
  }

  async drain(id: string, isDraining: boolean): Promise<HostView> {
    await this.#engine.query('SELECT chat_web.drain($1, $2)', [id, isDraining]);
    return this.host(id);
  }

  async remove(id: string): Promise<void> {
    const { name } = await this.host(id);
    const [row] = await this.#engine.query<{ is_done: boolean }>('SELECT chat_web.remove_host($1) AS is_done', [id]);
    if (!row?.is_done) throw new GatewayError('host_is_live', `host ${name} is live: stop its gateway first`);
    await this.refresh();
  }

  numbersElsewhere(): { readonly id: string; readonly number: string }[] {
    return this.#directory.numbersElsewhere();
  }

  async rebalance({ dryRun }: { readonly dryRun: boolean }): Promise<ChosenMove[]> {
    await this.#directory.refresh();
    return this.#moves.rebalance(await this.#directory.readHosts(), dryRun);
  }

  moves(): Promise<MoveView[]> {
    return this.#moves.list();
  }

  move(session: string, to: string | undefined): Promise<MoveView> {
    return this.#moves.ask(session, to);
  }

  isMoving(session: string): boolean {
    return this.#moves.isMoving(session);
  }

  moved(session: string, timeoutMs: number): Promise<boolean> {
    return this.#moves.ended(session, timeoutMs);
  }

  async mayTake(session: string, host: string): Promise<boolean> {
    return this.#moves.mayTake(session, host);
  }

  async release(): Promise<void> {
    await settledWithin(this.shipped(), LAST_SHIPPED_MS);
    this.#stopping.abort();
    this.#changed.resolve();
    this.#added.resolve();
    await settledWithin(this.#release(), RELEASE_MS);
  }

  async #release(): Promise<void> {
    await this.#beating;
    await this.#moves.stopped();
    await this.#folder.release();
    await this.#engine.close();
  }

  /** Before any session starts: of the ids that two hosts have, only one may run. */
  async #announce(own: OwnGateway, isAtStart: boolean): Promise<string[]> {
    const { host, epoch } = this.#folder;
    const capacity = this.#config.clusterSessions ?? capacityOf(totalMemoryBytes());
    await this.#engine.query('SELECT chat_web.announce($1, $2, $3, $4, $5)', [
      host,
      epoch,
      own.address,
      this.#signer.publicKey,
      capacity,
    ]);
    await this.#directory.readHosts();
    await this.#directory.refresh();
    await this.#moves.settlePlaced(own.sessions, isAtStart);
    const foreign = await this.#directory.report(epoch, own.sessions.views(), true);
    await this.#directory.refresh();
    return foreign;
  }

  async #keepDirectory(own: OwnGateway, wasAnnounced: boolean): Promise<void> {
    const { signal } = this.#stopping;
    let isAnnounced = wasAnnounced;
    let reportAt = 0;
    while (!signal.aborted) {
      await delay(MIN_REFRESH_MS, undefined, { signal }).catch(() => {});
      await settledWithin(this.#changed.promise, REFRESH_MS - MIN_REFRESH_MS);
      this.#changed = deferred();
      if (signal.aborted) return;
      // A failure of one does not keep the others from being done.
      await this.#attempt('report', async () => {
        if (!isAnnounced) await stopForeign(await this.#announce(own, false), own.sessions, this.#log);
        isAnnounced = true;
        await this.#moves.settlePlaced(own.sessions, false);
        if (performance.now() < reportAt) return; // Views change with each message.
        reportAt = performance.now() + REPORT_MS;
        const foreign = await this.#directory.report(this.#folder.epoch, own.sessions.views(), false);
        const isMoving = (id: string) => this.#directory.moveOf(id) !== undefined;
        await stopForeign(
          foreign.filter((id) => !isMoving(id)),
          own.sessions,
          this.#log,
        );
      });
      await this.#attempt('directory', async () => {
        await this.#directory.refresh();
        if (isAnnounced) this.#moves.advance(own.sessions);
      });
      await this.#attempt('keys', async () => this.#keys?.refresh());
    }
  }

  /** Never rejects: sessions keep running without the database. */
  async #attempt(what: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => {
      if (!(error instanceof GatewayError)) this.#log.error({ what, error: errorText(error) }, 'cluster not updated');
    });
  }

  async #beat({ about, onHostLost, onFound, onFolderLost }: OwnGateway): Promise<void> {
    const { signal } = this.#stopping;
    let published: string[] = [];
    while (!signal.aborted) {
      this.#noteTime();
      try {
        const beat = await this.#folder.beat(about());
        if (!beat) {
          onFolderLost(`data folder claimed by another gateway (its epoch here is ${this.#folder.epoch})`);
          return;
        }
        this.#isConfirmed = true;
        if (beat.was_lost) onFound();
        await this.#directory.readHosts();
        const lost = await this.#engine.query<{ id: string }>('SELECT id FROM chat_web.mark_lost($1) AS id', [
          published,
        ]);
        if (lost.length > 0) await Promise.all([this.#directory.readHosts(), this.#directory.refresh()]);
        for (const { id } of lost) {
          this.#log.warn({ host: this.#directory.nameOf(id) }, 'host lost');
          onHostLost(this.#directory.viewsOf(id));
        }
        published = lost.map(({ id }) => id); // On disk by the next beat.
      } catch (error) {
        // Sessions keep running without the database.
        if (!(error instanceof GatewayError)) this.#log.error({ error: errorText(error) }, 'beat failed');
      }
      await this.#untilNextBeat();
    }
  }

  /** Earlier if this process did not run meanwhile. */
  async #untilNextBeat(): Promise<void> {
    const { signal } = this.#stopping;
    for (let ms = 0; ms < BEAT_MS && !signal.aborted && this.#isConfirmed; ms += REFRESH_MS) {
      await delay(REFRESH_MS, undefined, { signal }).catch(() => {});
      this.#noteTime();
    }
    if (!this.#isConfirmed) await delay(REFRESH_MS, undefined, { signal }).catch(() => {});
  }
}

/** Of an id that two hosts have, one runs: here, they were started while the database could not be reached. */
async function stopForeign(ids: readonly string[], sessions: OwnSessions, log: Log): Promise<void> {
  const moved = [...sessions.moved(), ...sessions.placed()];
  for (const session of ids.filter((id) => !moved.includes(id))) {
    log.error({ session }, 'session belongs to another host');
    await sessions.stop(session);
  }
}

function capacityOf(memoryBytes: number): number {
  return Math.max(1, Math.floor((memoryBytes - OWN_BYTES) / SESSION_BYTES));
}

function hostViewOf(
  { id, name, state, silent_ms, beat_at, is_off, about, capacity, used, draining }: HostRow,
  own: string,
  webhooksAt: string | undefined,
): HostView {
  const known = v.safeParse(aboutHost, about); // Of another host, which may have been taken over.
  const isLate = state === 'live' && (silent_ms ?? 0) > LATE_MS;
  return {
    id,
    name,
    isOwn: id === own,
    state: isLate ? 'late' : state,
    capacity,
    used: Number(used),
    ...(draining ? { draining } : {}),
    ...(is_off ? { confirmedOff: true } : {}),
    ...(id === webhooksAt ? { deliversWebhooks: true } : {}),
    ...(beat_at ? { beatAt: beat_at.toISOString() } : {}),
    ...(known.success ? known.output : {}),
  };
}
