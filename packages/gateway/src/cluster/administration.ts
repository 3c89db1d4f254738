import { createHash, createHmac, pbkdf2 as pbkdf2Callback, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorText } from '@chat-web/protocol';
import type pg from 'pg';
import * as v from 'valibot';
import { ConfigError } from '../config-error.ts';
import { holdDataDir } from '../host/data-lock.ts';
import { clusterUrls } from '../settings.ts';
import { requirePrimary } from './engine.ts';
import { HOST_FILE, writeHostFile } from './host-file.ts';
import { applySchema } from './schema.ts';

const TIMEOUT_MS = 10_000;
const PASSWORD_BYTES = 24;
const [SCRAM_ROUNDS, SCRAM_SALT_BYTES, SCRAM_KEY_BYTES] = [4_096, 16, 32];
const pbkdf2 = promisify(pbkdf2Callback);
const HOST_NAME = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;
/** A host has at most 4 connections, and some of an earlier start may not have ended yet. */
const MAX_CONNECTIONS = 20;
/** SQLSTATE: what exists already, and what is missing. */
const EXISTS: readonly (string | undefined)[] = ['42710', '23505'];
const FORBIDDEN = '42501';
const MISSING: readonly (string | undefined)[] = ['42P01', '3F000', '42883', '42704'];

export interface HostStatus {
  readonly name: string;
  readonly state: string;
  /** The time since its last beat; undefined if it has never started. */
  readonly silentSeconds: number | undefined;
  /** Where the other gateways reach it; undefined if it has never started. */
  readonly address: string | undefined;
}

export interface ClusterStatus {
  readonly hosts: readonly HostStatus[];
  /** The clock of the database, compared with that of this host. */
  readonly clockAheadMs: number;
}

/**
 * Creates the tables and functions of a cluster, or brings them up to date. Returns how many steps were applied. Here and
 * below, a URL may be several: of a server and its standbys, separated by commas.
 */
export function initCluster(adminUrl: string): Promise<number> {
  return connected(adminUrl, (client) => applySchema(client));
}

/**
 * Adds a host, with a role of its own. Returns the URL for its gateway, with a new password that is not stored. Rejects
 * with a ConfigError for a name that cannot be used.
 */
export function addHost(adminUrl: string, name: string): Promise<string> {
  if (!HOST_NAME.test(name))
    throw new ConfigError(['the name of a host must be 1 to 40 characters of a-z 0-9 -, without - at its ends']);
  return connected(adminUrl, async (client) => {
    const role = `${client.database ?? 'chat_web'}_${name.replaceAll('-', '_')}`;
    const password = randomBytes(PASSWORD_BYTES).toString('base64url');
    const verifier = await scramVerifier(password);
    await client.query('BEGIN');
    // It is left where a host was removed by the API.
    const { rows: left } = await client.query(
      `SELECT FROM pg_roles r WHERE r.rolname = $1 AND pg_has_role(r.oid, 'chat_web_hosts', 'member')
       AND NOT EXISTS (SELECT FROM chat_web.hosts h WHERE h.role = r.rolname)`,
      [role],
    );
    await client.query(
      `${left.length > 0 ? 'ALTER' : 'CREATE'} ROLE ${client.escapeIdentifier(role)} LOGIN
       PASSWORD ${client.escapeLiteral(verifier)} CONNECTION LIMIT ${MAX_CONNECTIONS}`,
    );
    await client.query(`GRANT chat_web_hosts TO ${client.escapeIdentifier(role)}`);
    await client.query('INSERT INTO chat_web.hosts (name, role) VALUES ($1, $2)', [name, role]);
    await client.query('COMMIT');
    const urls = adminUrl.split(',').map((url) => hostUrl(url.trim(), client.database, role, password));
    return urls.join(',');
  }).catch((error: { code?: string }) => {
    throw EXISTS.includes(error.code) ? new ConfigError([`host ${name} exists already, or its role`]) : error;
  });
}

/** Removes a host whose disk is gone, with its sessions. Its accounts have to be linked again. */
export function removeHost(adminUrl: string, name: string): Promise<void> {
  return connected(adminUrl, async (client) => {
    const { rows } = await client.query('SELECT id, role FROM chat_web.hosts WHERE name = $1', [name]);
    const [host] = rows;
    if (!host) throw new ConfigError([`there is no host ${name}`]);
    await client.query('BEGIN');
    const { rows: removed } = await client.query('SELECT chat_web.remove_host($1) AS is_done', [host.id]);
    if (!removed[0].is_done) throw new ConfigError([`host ${name} is live: stop its gateway first`]);
    await client.query(`DROP ROLE ${client.escapeIdentifier(host.role)}`);
    await client.query('COMMIT');
  });
}

/** Confirms that the machine of a host is off. False if its last beat is less than 30 seconds ago. */
export function confirmHostOff(url: string, name: string): Promise<boolean> {
  return connected(url, async (client) => {
    const { rows } = await client.query(
      'SELECT chat_web.confirm_off(h.id) AS is_off FROM chat_web.list_hosts() h WHERE h.name = $1',
      [name],
    );
    if (rows.length === 0) throw new ConfigError([`there is no host ${name}`]);
    return rows[0].is_off === true;
  });
}

/**
 * Makes a data folder that of the host whose role the URL has. Returns the name of the host. Rejects with a ConfigError
 * if it belongs to a host already, or the host has another folder, and with a DataDirInUseError if a gateway uses it.
 */
export function joinCluster(url: string, dataDir: string): Promise<string> {
  return withFolder(url, dataDir, async (client) => {
    const { rows } = await client.query('SELECT * FROM chat_web.own_host()');
    const [host] = rows;
    if (!host) throw new ConfigError(['the role of the URL does not belong to a host: add one first']);
    if (existsSync(join(dataDir, HOST_FILE))) throw new ConfigError([`${dataDir} belongs to a host already`]);
    if (host.epoch !== '0')
      throw new ConfigError([
        `host ${host.name} has a data folder already: start its gateway there, or add another host`,
      ]);
    await writeFor(dataDir, host.id, 0);
    return String(host.name);
  });
}

/**
 * The operator says that a data folder is what the last gateway of a host has left, although the database says otherwise:
 * after it was restored, or after the journal or the file of the folder was lost. Never with a copy.
 */
export function adoptFolder(adminUrl: string, name: string, dataDir: string): Promise<void> {
  return withFolder(adminUrl, dataDir, async (client) => {
    // Above the epochs of all claims that the database may have lost.
    const { rows } = await client.query(
      `UPDATE chat_web.hosts SET epoch = epoch + 1000, nonce = NULL, journal_position = NULL, state = 'released'
       WHERE name = $1 AND (state <> 'live' OR beat_at < now() - interval '30 seconds') RETURNING id, epoch`,
      [name],
    );
    const [host] = rows;
    if (!host) throw new ConfigError([`there is no host ${name}, or it is live: stop its gateway first`]);
    await writeFor(dataDir, host.id, Number(host.epoch));
  });
}

export function clusterStatus(url: string): Promise<ClusterStatus> {
  return connected(url, async (client) => {
    const { rows } = await client.query('SELECT * FROM chat_web.list_hosts()');
    const hosts = rows.map(({ name, state, silent_ms, address }) => ({
      name: String(name),
      state: String(state),
      silentSeconds: silent_ms === null ? undefined : Math.round(Number(silent_ms) / 1_000),
      address: address === null ? undefined : String(address),
    }));
    const { rows: clock } = await client.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now');
    return { hosts, clockAheadMs: Number(clock[0].now) - Date.now() };
  });
}

/** The URL of a host: that of the administrator without its credentials. */
function hostUrl(adminUrl: string, database: string | undefined, role: string, password: string): string {
  const [, scheme, place = '', , query = ''] =
    /^(\w+:\/\/)(?:[^@/?]*@)?([^/?]*)(\/[^?]*)?(\?.*)?$/.exec(adminUrl) ?? [];
  const parameters = new URLSearchParams(query);
  for (const name of ['user', 'password', 'database', 'dbname']) parameters.delete(name);
  const rest = parameters.size > 0 ? `?${parameters}` : '';
  return `${scheme}${encodeURIComponent(role)}:${password}@${place}/${database ?? ''}${rest}`;
}

/** Written by root, the file belongs to the owner of the folder, who runs the gateway. */
async function writeFor(dataDir: string, host: string, epoch: number): Promise<void> {
  await writeHostFile(dataDir, { host, epoch });
  const { uid, gid } = await stat(dataDir);
  if (process.getuid?.() === 0) await chown(join(dataDir, HOST_FILE), uid, gid);
}

/** While no gateway uses a data folder, which is created if needed. */
async function withFolder<R>(url: string, dataDir: string, work: (client: pg.Client) => Promise<R>): Promise<R> {
  const release = await holdDataDir(dataDir, { warn: () => {} });
  try {
    return await connected(url, work);
  } finally {
    await release();
  }
}

/** What the server stores of a password (RFC 5803): a statement with the password itself may be in its log. */
async function scramVerifier(password: string): Promise<string> {
  const salt = randomBytes(SCRAM_SALT_BYTES);
  const salted = await pbkdf2(password, salt, SCRAM_ROUNDS, SCRAM_KEY_BYTES, 'sha256');
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const server = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${SCRAM_ROUNDS}:${salt.toString('base64')}$${stored}:${server}`;
}

/** `urls`: of the server and its standbys, separated by commas. */
async function connected<R>(urls: string, work: (client: pg.Client) => Promise<R>): Promise<R> {
  const written = v.safeParse(clusterUrls, urls);
  if (!written.success) throw new ConfigError(['the URL of the database must begin with postgresql://']);
  const client = await writableServer(written.output);
  try {
    return await work(client);
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (MISSING.includes(code))
      throw new ConfigError(['the database is not prepared: run "chat-web cluster init" first']);
    if (code === FORBIDDEN && /^permission denied/.test(errorText(error)))
      throw new ConfigError([
        `${errorText(error)}: this needs a role that may create schemas and roles, not that of a host`,
      ]);
    throw error;
  } finally {
    await client.end();
  }
}

/** The first one that accepts writes. */
async function writableServer(urls: readonly string[]): Promise<pg.Client> {
  const timeouts = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS, lock_timeout: TIMEOUT_MS };
  // As in `Engine.open`: programs that share code with the gateway do not load it, either.
  const { default: postgres } = await import('pg');
  let why: unknown;
  for (const connectionString of urls) {
    let client: pg.Client | undefined;
    try {
      client = new postgres.Client({ connectionString, ...timeouts });
      client.on('error', () => {}); // The query in progress rejects, too.
      await client.connect();
      await requirePrimary(client);
      return client;
    } catch (error) {
      why ??= error;
    }
    await client?.end().catch(() => {});
  }
  throw new ConfigError([`the database cannot be used: ${errorText(why)}`]);
}
