import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilEnded } from './child-programs.ts';
import { eventually } from './eventually.ts';
import { OTHER_USER } from './other-user.ts';

const DEBIAN_DIR = '/usr/lib/postgresql';

/** The folder with PostgreSQL's programs; undefined where it is not installed. Debian has none of them on the PATH. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(DEBIAN_DIR) ? readdirSync(DEBIAN_DIR).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(DEBIAN_DIR, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}

/** A PostgreSQL server of its own, in a temporary folder, on a unix socket or an address. It refuses to run as root. */
export class Postgres implements AsyncDisposable {
  readonly #programs: string;
  readonly #dir: string;
  readonly #address: string | undefined;
  #server: ChildProcess | undefined;

  private constructor(programs: string, dir: string, address: string | undefined) {
    this.#programs = programs;
    this.#dir = dir;
    this.#address = address;
  }

  /** `address`: everybody who reaches it there is trusted. */
  static async start(address?: string): Promise<Postgres> {
    const programs = postgresPrograms();
    if (programs === undefined) throw new Error('PostgreSQL is not installed');
    const dir = newFolder();
    const postgres = new Postgres(programs, dir, address);
    const options = ['--username=postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'];
    execFileSync(join(programs, 'initdb'), [...options, join(dir, 'data')], { ...asOther(), stdio: 'ignore' });
    if (address !== undefined) appendFileSync(join(dir, 'data', 'pg_hba.conf'), 'host all all samenet trust\n');
    await postgres.run();
    return postgres;
  }

  /** The URL of a database, as a user. */
  url(database = 'postgres', user = 'postgres'): string {
    if (this.#address !== undefined) return `postgresql://${user}@${this.#address}/${database}`;
    return `postgresql://${user}@/${database}?host=${encodeURIComponent(this.#dir)}`;
  }

  execute(sql: string): void {
    execFileSync(join(this.#programs, 'psql'), ['--quiet', '--set=ON_ERROR_STOP=1', this.url(), '--command', sql]);
  }

  /** A server that copies what this one writes, until it is promoted. */
  async standby(): Promise<Postgres> {
    const standby = new Postgres(this.#programs, newFolder(), undefined);
    const options = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync', `--dbname=${this.url()}`];
    const to = ['--pgdata', join(standby.#dir, 'data')];
    execFileSync(join(this.#programs, 'pg_basebackup'), [...options, ...to], { ...asOther(), stdio: 'ignore' });
    await standby.run();
    return standby;
  }

  /** For a standby: it copies nothing from now on. */
  stopCopying(): void {
    this.execute("ALTER SYSTEM SET primary_conninfo = ''");
    this.execute('SELECT pg_reload_conf()');
  }

  /** For a standby: it accepts writes from now on. */
  promote(): void {
    this.execute('SELECT pg_promote()');
  }

  /** Starts it again after `kill`. */
  async run(): Promise<void> {
    const settings = [
      `listen_addresses=${this.#address ?? ''}`,
      `unix_socket_directories=${this.#dir}`,
      'shared_buffers=16MB',
    ];
    const args = ['-D', join(this.#dir, 'data'), ...settings.flatMap((setting) => ['-c', setting])];
    // It stops when this process ends, for whatever reason.
    const tethered = ['--pdeathsig=INT', join(this.#programs, 'postgres'), ...args];
    this.#server = spawn('setpriv', tethered, { ...asOther(), stdio: 'ignore' });
    await eventually(() => execFileSync(join(this.#programs, 'pg_isready'), ['-q', '-h', this.#dir]));
  }

  /** SIGINT ends all connections, and stops it cleanly; SIGQUIT as a crash does. */
  async kill(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    if (!this.#server) return;
    this.#server.kill(signal);
    await untilEnded(this.#server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGINT');
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

function newFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'chat-web-postgres-'));
  if (process.getuid?.() === 0) chownSync(dir, OTHER_USER, OTHER_USER);
  return dir;
}

function asOther(): { uid?: number; gid?: number; cwd: string } {
  return process.getuid?.() === 0 ? { uid: OTHER_USER, gid: OTHER_USER, cwd: '/' } : { cwd: '/' };
}
