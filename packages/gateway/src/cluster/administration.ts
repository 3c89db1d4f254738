import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { ConfigError } from '../config-error.ts';
import { requireOwn } from '../host/folder-permissions.ts';
import { HOST_FILE, writeHostFile } from './host-file.ts';
import { applySchema } from './schema.ts';

const PASSWORD_BYTES = 24;
const HOST_NAME = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

type Query = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** Creates the tables and functions of a cluster, or brings them up to date. Returns how many steps were applied. */
export function initCluster(adminUrl: string): Promise<number> {
  return connected(adminUrl, (_, client) => applySchema(client));
}

/**
 * Adds a host, with a role of its own. Returns the URL for its gateway, with a new password that is not stored anywhere
 * else. Rejects with a ConfigError for a name that cannot be used.
 */
export function addHost(adminUrl: string, name: string): Promise<string> {
  if (!HOST_NAME.test(name))
    throw new ConfigError(['the name of a host must be 1 to 40 characters of a-z 0-9 -, without - at its ends']);
  return connected(adminUrl, async (query, client) => {
    const role = `chat_web_${name.replaceAll('-', '_')}`;
    const password = randomBytes(PASSWORD_BYTES).toString('base64url');
    await query('BEGIN');
    await query(
      `CREATE ROLE ${client.escapeIdentifier(role)} LOGIN PASSWORD ${client.escapeLiteral(password)} IN ROLE chat_web_hosts`,
    );
    await query('INSERT INTO chat_web.hosts (name, role) VALUES ($1, $2)', [name, role]);
    await query('COMMIT');
    return adminUrl.replace(/^(\w+:\/\/)([^@/]*@)?/, `$1${role}:${password}@`);
  });
}

/**
 * Makes a data folder that of the host whose role the URL has. Returns the name of the host. Rejects with a ConfigError
 * if it belongs to a host already, or the host has another folder.
 */
export function joinCluster(url: string, dataDir: string): Promise<string> {
  return connected(url, async (query) => {
    const [host] = await query('SELECT * FROM chat_web.own_host()');
    if (!host) throw new ConfigError(['the role of the URL is of no host: add one first']);
    if (existsSync(join(dataDir, HOST_FILE))) throw new ConfigError([`${dataDir} belongs to a host already`]);
    if (host.epoch !== '0')
      throw new ConfigError([
        `host ${host.name} has a data folder already: start its gateway there, or add another host`,
      ]);
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await requireOwn('CHAT_WEB_DATA_DIR', dataDir);
    await writeHostFile(dataDir, { host: String(host.id), epoch: 0 });
    return String(host.name);
  });
}

/** One row for each host: its name, state, and how long ago it was last heard of, in seconds. */
export function clusterStatus(
  url: string,
): Promise<{ name: string; state: string; silentSeconds: number | undefined }[]> {
  return connected(url, async (query) => {
    const rows = await query('SELECT * FROM chat_web.list_hosts()');
    return rows.map(({ name, state, silent_ms }) => ({
      name: String(name),
      state: String(state),
      silentSeconds: silent_ms === null ? undefined : Math.round(Number(silent_ms) / 1_000),
    }));
  });
}

async function connected<R>(url: string, work: (query: Query, client: pg.Client) => Promise<R>): Promise<R> {
  const { default: postgres } = await import('pg');
  const client = new postgres.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return await work(async (text, values = []) => (await client.query(text, [...values])).rows, client);
  } finally {
    await client.end();
  }
}
