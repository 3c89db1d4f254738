import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayError } from '@chat-web/protocol';
import type { Postgres } from '@chat-web/testing';
import { pino } from 'pino';
import { addHost } from '../cluster/administration.ts';
import { Engine } from '../cluster/engine.ts';
import { SharedLog } from '../cluster/shared-log.ts';
import { Shipper } from '../cluster/shipper.ts';
import { Journal } from '../journal/journal.ts';

const log = pino({ level: 'silent' });

/** A host with its journal, which is shipped, and with readers. */
export class LogHost {
  readonly journal: Journal;
  readonly events: SharedLog;
  readonly engine: Engine;
  readonly shipper: Shipper;
  readonly #stopping = new AbortController();
  readonly #running: Promise<unknown>;
  readonly id: string;
  readonly dir: string;
  /** Answers that are lost although the query was carried out. */
  lostAnswers = 0;

  private constructor(id: string, dir: string, journal: Journal, engine: Engine) {
    this.id = id;
    this.dir = dir;
    this.journal = journal;
    this.engine = engine;
    this.events = new SharedLog(engine);
    const query: Engine['query'] = async (text, values) => {
      const rows = await engine.query(text, values);
      if (!text.includes('ship(') || this.lostAnswers === 0) return rows as never;
      this.lostAnswers -= 1;
      throw new GatewayError('engine_unavailable', 'the answer was lost');
    };
    const unsure = Object.assign(Object.create(engine) as Engine, { query });
    const { signal } = this.#stopping;
    this.shipper = new Shipper({
      engine: unsure,
      journal,
      onShipped: (...shipped) => this.events.add(...shipped),
      host: id,
      epoch: () => 1,
      stopping: signal,
      log,
    });
    this.#running = this.shipper.run();
  }

  static async start(postgres: Postgres, name: string): Promise<LogHost> {
    const url = await addHost(postgres.url(), name);
    postgres.execute(`UPDATE chat_web.hosts SET epoch = 1, state = 'live' WHERE name = '${name}'`);
    const engine = await Engine.open([url], log);
    const [row] = await engine.query<{ id: string }>('SELECT id FROM chat_web.own_host()');
    const dir = mkdtempSync(join(tmpdir(), 'chat-web-journal-'));
    const journal = await Journal.open({ dir, folds: [], maxBytes: 1e9, maxAgeMs: 1e9, log });
    const host = new LogHost(row?.id ?? '', dir, journal, engine);
    await host.refresh();
    return host;
  }

  async write(session: string, texts: readonly string[]): Promise<void> {
    const records = texts.map((text) => ({ kind: 'event', name: 'message', session, key: '', text }) as const);
    await Promise.all(
      records.map((record) => this.journal.append({ ...record, text: JSON.stringify({ text: record.text }) })),
    );
  }

  /** Those of a server, with their events. */
  static removeAll(postgres: Postgres): void {
    postgres.execute(`TRUNCATE chat_web.hosts, chat_web.events, chat_web.forgotten CASCADE;
      TRUNCATE chat_web.webhooks, chat_web.imported_webhooks CASCADE;
      UPDATE chat_web.log_head SET n = 0, timeline_after = 0;
      UPDATE chat_web.webhook_duty SET host = NULL`);
    for (const role of ['postgres_a', 'postgres_b']) postgres.execute(`DROP ROLE IF EXISTS ${role}`);
  }

  /** As its gateway does every second. */
  async refresh(): Promise<void> {
    if (await this.events.refresh()) this.shipper.again();
    await this.engine.query('SELECT chat_web.purge_forgotten()');
  }

  shipped(): Promise<boolean> {
    return this.shipper.untilEnd(10_000);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.journal.close();
    await this.engine.close();
    await rm(this.dir, { recursive: true });
  }
}
