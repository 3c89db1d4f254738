import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { errorText, GatewayError } from '@chat-web/protocol';
import type { Config } from '../config.ts';
import { ConfigError } from '../config-error.ts';
import type { Log } from '../log.ts';
import type { AboutHost, JournalEnd } from './cluster.ts';
import { probeIn } from './disk-probe.ts';
import type { Engine } from './engine.ts';
import { type HostFile, readHostFile, writeHostFile } from './host-file.ts';
import { folderIdentityOf } from './machine.ts';
import { requireSchema } from './schema.ts';

const RETRY_MS = 2_000;
const LOG_EVERY_MS = 30_000;

const IN_USE_HINT =
  'its last gateway may still run. If its machine is off, confirm it: POST /hosts/{id}/off at another gateway, or "chat-web cluster off <name>"';
const LIVE_HINT = 'its gateway runs, on this folder or on a copy of it: this one will not start beside it';
const OUTAGE_HINT = 'the gateway starts once the database can be reached';
/** A gateway whose last beat is younger is alive. */
const LIVE_SECONDS = 15;
const ADOPT = 'If this is the disk that was used last, run "chat-web cluster adopt <name>"';
/** Why a folder is never claimed as it is. */
const REFUSALS: Readonly<Record<string, string>> = {
  old_copy: `is an older copy of what its last gateway left: with it, the phones would drop their links. ${ADOPT}`,
  newer_than_database: `was claimed after the state of the database, which has been restored or has lost data. ${ADOPT}`,
};

interface OwnHost {
  readonly id: string;
  readonly name: string;
  readonly journal_position: string | null;
  readonly silent_seconds: number | null;
}

interface Answer {
  readonly outcome: string;
  /** Undefined if the database cannot be reached. */
  readonly host?: OwnHost;
}

/** The right of this gateway to run the sessions of its data folder. It is decided in the database: see `sql/1-hosts.sql`. */
export class FolderClaim {
  readonly #config: Pick<Config, 'dataDir' | 'clusterDisk'>;
  readonly #engine: Engine;
  readonly #log: Log;
  #file: HostFile;
  #journal: JournalEnd | undefined;
  /** What the last gateway has written to the folder, and since when that is known. */
  #probe: { readonly text: string; readonly since: number } | undefined;

  private constructor(config: Pick<Config, 'dataDir' | 'clusterDisk'>, engine: Engine, log: Log, file: HostFile) {
    this.#config = config;
    this.#engine = engine;
    this.#log = log;
    this.#file = file;
  }

  /** Rejects with a ConfigError if the folder belongs to no host. */
  static async open(config: Pick<Config, 'dataDir' | 'clusterDisk'>, engine: Engine, log: Log): Promise<FolderClaim> {
    return new FolderClaim(config, engine, log, await readHostFile(config.dataDir));
  }

  get host(): string {
    return this.#file.host;
  }

  /** The number of the last claim. */
  get epoch(): number {
    return this.#file.epoch;
  }

  /** Resolves once the folder could be claimed. Rejects with a ConfigError if it never can. */
  untilFree(onWaiting: () => void): Promise<void> {
    return this.#untilDecided(undefined, onWaiting);
  }

  /** Resolves once the folder is claimed, with what is in its journal. */
  async claim(journal: JournalEnd): Promise<void> {
    await this.#untilDecided(journal, () => {});
    this.#log.info({ epoch: this.epoch }, 'data folder claimed');
  }

  /** Undefined if another gateway has claimed the folder. */
  async beat(about: AboutHost | undefined): Promise<{ readonly was_lost: boolean } | undefined> {
    const [row] = await this.#engine.query<{ was_lost: boolean }>('SELECT * FROM chat_web.beat($1, $2, $3, $4)', [
      this.host,
      this.epoch,
      this.#journal && endOf(this.#journal),
      JSON.stringify(about ?? {}),
    ]);
    return row;
  }

  /** Another gateway may claim it. Never rejects. */
  async release(): Promise<void> {
    if (!this.#journal) return;
    await this.#engine
      .query('SELECT chat_web.release($1, $2, $3)', [this.host, this.epoch, endOf(this.#journal)])
      .catch((error: unknown) => this.#log.warn({ error: errorText(error) }, 'data folder not released'));
  }

  async #untilDecided(journal: JournalEnd | undefined, onWaiting: () => void): Promise<void> {
    let logAt = performance.now();
    for (;;) {
      const text = await probeIn(this.#config.dataDir);
      if (text !== this.#probe?.text) this.#probe = { text, since: performance.now() };
      const { outcome, host } = await this.#ask(journal).catch((error: unknown): Answer => {
        if (error instanceof GatewayError) return { outcome: 'engine_unavailable' };
        throw error;
      });
      if (outcome === 'claimed' || outcome === 'claimable') return;
      const refusal = REFUSALS[outcome];
      if (refusal) throw new ConfigError([`CHAT_WEB_DATA_DIR ${refusal} (host ${host?.name})`]);
      // Its journal was opened as the other gateway may have left it some time ago.
      if (journal && outcome === 'in_use') throw new Error('another gateway has claimed the data folder meanwhile');
      if (performance.now() >= logAt) {
        this.#logWait(host);
        logAt += LOG_EVERY_MS;
      }
      onWaiting();
      await delay(RETRY_MS);
    }
  }

  #logWait(host: OwnHost | undefined): void {
    const lastBeatSecondsAgo = host?.silent_seconds ?? undefined;
    const isLive = lastBeatSecondsAgo !== undefined && lastBeatSecondsAgo < LIVE_SECONDS;
    const hint = host === undefined ? OUTAGE_HINT : isLive ? LIVE_HINT : IN_USE_HINT;
    this.#log.warn({ host: host?.name, id: this.host, lastBeatSecondsAgo, hint }, 'data folder not claimed yet');
  }

  /** Claims the folder; without a journal, only asks whether it could be claimed. */
  async #ask(journal: JournalEnd | undefined): Promise<Answer> {
    await requireSchema(this.#engine);
    const [host] = await this.#engine.query<OwnHost>('SELECT * FROM chat_web.own_host()');
    if (host?.id !== this.host) throw new ConfigError([foreign(host)]);
    // It must be on the disk before it is in the database: see `claim`.
    if (this.#file.pending === undefined) await this.#write({ ...this.#file, pending: randomUUID() });
    const { pending } = this.#file;
    const { machineId, bootId, folder } = await folderIdentityOf(this.#config.dataDir);
    const position = host.journal_position;
    const known = position !== null && journal?.seqOf(position) !== undefined ? position : null;
    const [claim] = await this.#engine.query<{ outcome: string; epoch: string }>(
      'SELECT * FROM chat_web.claim($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
      [
        host.id,
        this.epoch,
        pending,
        known,
        machineId,
        bootId,
        folder,
        this.#config.clusterDisk,
        this.#probe ? Math.floor((performance.now() - this.#probe.since) / 1_000) : 0,
        journal === undefined,
      ],
    );
    const outcome = claim?.outcome ?? 'unknown_host';
    if (outcome !== 'claimed') return { outcome, host };
    // The nonce stays until the database knows that this epoch is on the disk: an earlier claim may arrive late.
    await this.#write({ host: host.id, epoch: Number(claim?.epoch), pending });
    this.#journal = journal;
    if (!(await this.beat(undefined))) return { outcome: 'in_use', host };
    await this.#write({ host: host.id, epoch: this.epoch });
    return { outcome, host };
  }

  async #write(file: HostFile): Promise<void> {
    await writeHostFile(this.#config.dataDir, file);
    this.#file = file;
  }
}

function foreign(host: OwnHost | undefined): string {
  return host
    ? `CHAT_WEB_DATA_DIR belongs to another host: the role of CHAT_WEB_CLUSTER_URL is that of ${host.name}`
    : 'the role of CHAT_WEB_CLUSTER_URL does not belong to a host: create one with "chat-web cluster add"';
}

function endOf(journal: JournalEnd): string {
  return journal.idOf(journal.lastSeq);
}
