import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { ConfigError } from '../config-error.ts';
import type { Engine } from './engine.ts';

/** Each is applied once, in this order. A released one does not change. */
const FILES = ['1-hosts.sql', '2-sessions.sql', '3-keys.sql', '4-placement.sql', '5-events.sql', '6-webhooks.sql'];
/** Any number that no other program uses for an advisory lock. */
const LOCK = 7_242_417_931;

/** Creates the schema, or brings it up to date. `client`: of a role that may create schemas and roles. */
export async function applySchema(client: Pick<pg.ClientBase, 'query'>): Promise<number> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await client.query(`
      CREATE SCHEMA IF NOT EXISTS chat_web;
      CREATE TABLE IF NOT EXISTS chat_web.applied (version integer PRIMARY KEY, at timestamptz DEFAULT now());
      DO $$ BEGIN
        CREATE ROLE chat_web_hosts NOLOGIN;
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- Of another cluster on this server.
      END $$;
      GRANT USAGE ON SCHEMA chat_web TO chat_web_hosts;
      GRANT SELECT ON chat_web.applied TO chat_web_hosts`);
    const { rows } = await client.query('SELECT coalesce(max(version), 0) AS version FROM chat_web.applied');
    const before: number = rows[0].version;
    for (const [at, name] of FILES.entries()) {
      if (at < before) continue;
      await client.query(readFileSync(new URL(import.meta.resolve(`#sql/${name}`)), 'utf8'));
      await client.query('INSERT INTO chat_web.applied (version) VALUES ($1)', [at + 1]);
    }
    // Of the functions, hosts may call each. They have no rights on tables.
    await client.query(`
      REVOKE ALL ON ALL FUNCTIONS IN SCHEMA chat_web FROM PUBLIC;
      GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA chat_web TO chat_web_hosts`);
    await client.query('COMMIT');
    return FILES.length - before;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Rejects with a ConfigError if the schema is missing or too old. A newer one is compatible: it only grows. */
export async function requireSchema(engine: Pick<Engine, 'query'>): Promise<void> {
  const [row] = await engine
    .query<{ version: number | null }>('SELECT max(version) AS version FROM chat_web.applied')
    .catch((error: unknown) => {
      const isMissing = ['3F000', '42P01', '42501'].includes((error as { code?: string }).code ?? '');
      if (!isMissing) throw error;
      return [];
    });
  if ((row?.version ?? 0) < FILES.length)
    throw new ConfigError([
      'the database of CHAT_WEB_CLUSTER_URL is not prepared for this version: run "chat-web cluster init"',
    ]);
}
