import { readFileSync } from 'node:fs';
import { Postgres, postgresPrograms } from '@chat-web/testing';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SCHEMA = new URL('../../sql/1-hosts.sql', import.meta.url);
const ROLE = 'chat_web_host';
/** The folder of the host and a copy of it, the machine of the first and another one. */
const [OWN, COPY, HERE, THERE] = [0, 1, 0, 1];

/** A data folder: the one of the host, or a copy of it. */
interface Disk {
  readonly folder: string;
  machine: number;
  epoch: number;
  pending: string | undefined;
  /** Of its journal. What a browser keeps on the disk changes with them. */
  positions: readonly string[];
}

/** A gateway on a folder. It holds the lock of the folder until it ends. */
interface Process {
  readonly disk: Disk;
  phase: 'waits' | 'claimed' | 'written' | 'runs';
  epoch: number;
  isCutOff: boolean;
  watched: number;
}

let postgres: Postgres;
let client: pg.Client;

const query = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows;

/** A host, its folder, the copies of it, two machines, and the gateways that run or try to. */
class World {
  readonly host: string;
  readonly isExclusive: boolean;
  readonly boots = [0, 0];
  readonly disks: Disk[];
  processes: Process[] = [];
  /** Of the last gateway, as the database knows it. */
  position: string | undefined;
  lastEpoch = 0;
  #made = 0;
  #outcome = '';

  private constructor(host: string, isExclusive: boolean) {
    this.host = host;
    this.isExclusive = isExclusive;
    this.disks = [{ folder: 'f0', machine: 0, epoch: 0, pending: undefined, positions: [] }];
  }

  static async create(isExclusive: boolean): Promise<World> {
    await query('RESET SESSION AUTHORIZATION');
    await query('DELETE FROM chat_web.hosts');
    const [row] = await query('INSERT INTO chat_web.hosts (name, role) VALUES ($1, $2) RETURNING id', ['one', ROLE]);
    await query(`SET SESSION AUTHORIZATION ${ROLE}`);
    return new World(row.id, isExclusive);
  }

  get running(): Process[] {
    return this.processes.filter(({ phase }) => phase === 'runs');
  }

  disk(n: number): Disk {
    return this.disks[n % this.disks.length] as Disk;
  }

  on(n: number): Process | undefined {
    return this.processes.find(({ disk }) => disk === this.disk(n));
  }

  crash(n: number): void {
    this.processes = this.processes.filter(({ disk }) => disk !== this.disk(n));
  }

  /** Starts a gateway there, unless one waits already. Resolves with the outcome of its claim. */
  async claim(n: number): Promise<string> {
    this.start(n);
    await this.step(n);
    return this.#outcome;
  }

  end(process: Process): void {
    this.processes = this.processes.filter((other) => other !== process);
  }

  start(n: number): void {
    if (this.on(n)) return; // The folder is locked.
    const disk = this.disk(n);
    if (disk.pending === undefined) {
      this.#made += 1;
      disk.pending = `nonce ${this.#made}`;
    }
    this.processes.push({ disk, phase: 'waits', epoch: 0, isCutOff: false, watched: 0 });
  }

  /** The next step of a gateway. */
  async step(n: number): Promise<void> {
    const process = this.on(n);
    if (!process) return;
    const { disk } = process;
    if (process.phase === 'runs') disk.positions = [...disk.positions, `${process.epoch}-${disk.positions.length}`];
    else if (process.phase === 'written') {
      // The sessions start once the database knows that the epoch is on the disk.
      if (process.isCutOff) return;
      const before = this.position;
      if (await this.#beat(process)) {
        process.phase = 'runs';
        // However it came to this: nothing else runs, and nothing that the database knows of is missing.
        expect(this.running).toEqual([process]);
        expect(before === undefined || disk.positions.includes(before)).toBe(true);
      } else this.end(process);
    } else if (process.phase === 'claimed') {
      disk.epoch = process.epoch;
      disk.pending = undefined;
      process.phase = 'written';
    } else if (!process.isCutOff) await this.#claim(process);
  }

  async beat(n: number): Promise<void> {
    const process = this.on(n);
    if (process?.phase !== 'runs' || process.isCutOff) return;
    if (!(await this.#beat(process))) this.end(process); // It kills its browsers.
  }

  async release(n: number): Promise<void> {
    const process = this.on(n);
    if (process?.phase !== 'runs') return;
    this.end(process);
    if (process.isCutOff) return;
    const { disk, epoch } = process;
    this.position = disk.positions.at(-1);
    await query('SELECT chat_web.release($1, $2, $3)', [this.host, epoch, this.position]);
  }

  copy(n: number, machine: number): void {
    // Of a disk that the platform attaches to one machine at a time, no other is said to be the same.
    if (this.isExclusive || this.disks.length > 3) return;
    this.disks.push({ ...this.disk(n), folder: `f${this.disks.length}`, machine });
  }

  /** Another machine has the disk now. Where it was, it is gone, so that the browsers there are killed. */
  move(n: number, machine: number): void {
    const [process, disk] = [this.on(n), this.disk(n)];
    if (process && disk.machine !== machine) this.end(process);
    disk.machine = machine;
  }

  reboot(machine: number): void {
    for (const process of this.processes) if (process.disk.machine === machine) this.end(process);
    this.boots[machine] = (this.boots[machine] ?? 0) + 1;
  }

  /** By an operator. `isTrue`: who has looked, so that no gateway of the host runs. */
  async confirmOff({ isTrue = true } = {}): Promise<boolean> {
    if (isTrue && this.processes.some(({ phase }) => phase !== 'waits')) return false;
    const [row] = await query('SELECT chat_web.confirm_off($1) AS is_off', [this.host]);
    return row.is_off;
  }

  /** The gateway there cannot reach the database for this long. */
  async cutOff(n: number, seconds: number): Promise<void> {
    const process = this.on(n);
    if (process) process.isCutOff = true;
    await this.pass(seconds);
    if (process) process.isCutOff = false;
  }

  async pass(seconds: number): Promise<void> {
    await query("UPDATE test_clock SET now = now + $1 * interval '1 second'", [seconds]);
    // A process counts how long nothing else has written to its folder.
    for (const process of this.processes) if (process.phase === 'waits') process.watched += seconds;
  }

  async #claim(process: Process): Promise<void> {
    const { disk, watched } = process;
    const about = [`m${disk.machine}`, `b${disk.machine}-${this.boots[disk.machine]}`, disk.folder];
    const kind = this.isExclusive ? 'exclusive' : 'attached';
    const known = disk.positions.find((position) => position === this.position);
    const values = [this.host, disk.epoch, disk.pending, known, ...about, kind, watched];
    const [{ outcome, epoch }] = (await query(
      'SELECT * FROM chat_web.claim($1, $2, $3, $4, $5, $6, $7, $8, $9)',
      values,
    )) as [{ outcome: string; epoch: string }];
    this.#outcome = outcome;
    if (outcome === 'old_copy') this.end(process);
    if (outcome !== 'claimed') return;
    process.phase = 'claimed';
    process.epoch = Number(epoch);
    expect(process.epoch).toBeGreaterThan(this.lastEpoch);
    this.lastEpoch = process.epoch;
  }

  async #beat({ epoch, disk }: Process): Promise<boolean> {
    const position = disk.positions.at(-1);
    const [row] = await query('SELECT * FROM chat_web.beat($1, $2, $3, $4)', [this.host, epoch, position, '{}']);
    if (row) this.position = position;
    return row !== undefined;
  }
}

type Step = readonly [what: string, run: (world: World) => unknown];
const disks = fc.nat(3);
const machines = fc.nat(1);
const step = fc.oneof(
  { weight: 3, arbitrary: disks.map((n): Step => [`start ${n}`, (world) => world.start(n)]) },
  { weight: 8, arbitrary: disks.map((n): Step => [`step ${n}`, (world) => world.step(n)]) },
  { weight: 4, arbitrary: disks.map((n): Step => [`beat ${n}`, (world) => world.beat(n)]) },
  { weight: 2, arbitrary: disks.map((n): Step => [`release ${n}`, (world) => world.release(n)]) },
  { weight: 2, arbitrary: disks.map((n): Step => [`crash ${n}`, (world) => world.crash(n)]) },
  { weight: 1, arbitrary: fc.tuple(disks, machines).map(([n, m]): Step => [`copy ${n} to ${m}`, (w) => w.copy(n, m)]) },
  { weight: 1, arbitrary: fc.tuple(disks, machines).map(([n, m]): Step => [`move ${n} to ${m}`, (w) => w.move(n, m)]) },
  { weight: 1, arbitrary: machines.map((m): Step => [`reboot ${m}`, (world) => world.reboot(m)]) },
  { weight: 1, arbitrary: fc.constant<Step>(['confirm off', (world) => world.confirmOff()]) },
  {
    weight: 2,
    arbitrary: fc.tuple(disks, fc.boolean()).map(([n, isCut]): Step => {
      const cut = (world: World) => Object.assign(world.on(n) ?? {}, { isCutOff: isCut });
      return [`${isCut ? 'cut off' : 'heal'} ${n}`, cut];
    }),
  },
  { weight: 3, arbitrary: fc.nat(70).map((s): Step => [`${s} s pass`, (world) => world.pass(s)]) },
);

describe.runIf(postgresPrograms())('a claim of a data folder', () => {
  beforeAll(async () => {
    postgres = await Postgres.start();
    client = new pg.Client(postgres.url());
    await client.connect();
    await query('CREATE SCHEMA chat_web');
    await query(readFileSync(SCHEMA, 'utf8'));
    await query('CREATE TABLE test_clock AS SELECT clock_timestamp() AS now');
    await query(`CREATE OR REPLACE FUNCTION chat_web.moment() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS 'SELECT now FROM public.test_clock'`);
    await query(`CREATE ROLE ${ROLE} LOGIN; CREATE ROLE chat_web_other LOGIN`);
    await query(`GRANT USAGE ON SCHEMA chat_web TO PUBLIC; GRANT ALL ON test_clock TO PUBLIC`);
  });
  afterAll(async () => {
    await client?.end();
    await postgres?.[Symbol.asyncDispose]();
  });

  it('is granted to one gateway at a time, and never on an older copy, whatever happens', async () => {
    let claims = 0;
    const history = fc.array(step, { minLength: 60, maxLength: 120, size: 'max' });
    await fc.assert(
      fc.asyncProperty(fc.boolean(), history, async (isExclusive, steps) => {
        const world = await World.create(isExclusive);
        for (const [, run] of steps) await run(world);
        claims += world.lastEpoch;
      }),
      { numRuns: 100 },
    );
    expect(claims).toBeGreaterThan(200);
  });

  const create = async (isExclusive = false) => {
    const world = await World.create(isExclusive);
    expect(await world.claim(OWN)).toBe('claimed');
    for (let n = 0; n < 3; n += 1) await world.step(OWN);
    expect(world.running).toHaveLength(1);
    return world;
  };

  it('is granted at once on the same folder, whose lock proves that the last gateway is dead', async () => {
    const world = await create();
    world.crash(OWN);
    expect(await world.claim(OWN)).toBe('claimed');
  });

  it('is granted after the gateway crashed between the claim and the write of its epoch', async () => {
    const world = await World.create(false);
    for (let n = 0; n < 3; n += 1) {
      expect(await world.claim(OWN)).toBe('claimed');
      world.crash(OWN);
    }
  });

  it('waits on another folder of the same machine, and while the last gateway lives', async () => {
    const world = await create();
    world.copy(OWN, 0);
    expect(await world.claim(COPY)).toBe('in_use');
    world.crash(OWN);
    expect(await world.claim(COPY)).toBe('in_use');
  });

  it('is granted after the machine has restarted, once nothing has been heard of the host for 30 s', async () => {
    const world = await create();
    world.reboot(HERE);
    await world.pass(30);
    expect(await world.claim(OWN)).toBe('in_use');
    await world.pass(1);
    expect(await world.claim(OWN)).toBe('claimed');
  });

  it('waits on another machine until the last one is confirmed to be off, and a beat revokes that', async () => {
    const world = await create();
    world.copy(OWN, THERE);
    expect(await world.confirmOff({ isTrue: false })).toBe(false);
    await world.cutOff(OWN, 31);
    expect(await world.confirmOff({ isTrue: false })).toBe(true);
    await world.beat(OWN);
    expect(await world.claim(COPY)).toBe('in_use');
    world.crash(OWN);
    await world.pass(3_600);
    expect(await world.claim(COPY)).toBe('in_use');
    await world.confirmOff();
    expect(await world.claim(COPY)).toBe('claimed');
  });

  it('is granted on another machine if the disk is only there, and nobody writes to it for 45 s', async () => {
    const world = await create(true);
    world.move(OWN, THERE);
    await world.pass(30);
    expect(await world.claim(OWN)).toBe('in_use');
    await world.pass(46);
    expect(await world.claim(OWN)).toBe('claimed');
    const other = await create(true);
    await other.pass(61);
    other.move(OWN, THERE);
    expect(await other.claim(OWN)).toBe('in_use');
    await other.pass(44);
    expect(await other.claim(OWN)).toBe('in_use');
  });

  it('is refused on a copy from before the last claim, or before the last record that is known', async () => {
    const world = await create();
    world.copy(OWN, THERE);
    world.crash(OWN);
    await world.claim(OWN);
    for (let n = 0; n < 2; n += 1) await world.step(OWN);
    await world.release(OWN);
    expect(await world.claim(COPY)).toBe('old_copy');
    const other = await create();
    other.copy(OWN, THERE);
    await other.step(OWN);
    await other.release(OWN);
    expect(await other.claim(COPY)).toBe('old_copy');
  });

  it('is refused on a copy from during a claim that was completed since', async () => {
    const world = await World.create(false);
    await world.claim(OWN);
    world.copy(OWN, THERE);
    for (let n = 0; n < 2; n += 1) await world.step(OWN);
    await world.release(OWN);
    expect(await world.claim(COPY)).toBe('old_copy');
  });

  it('ends the gateway of the epoch before at its next beat', async () => {
    const world = await create();
    world.copy(OWN, THERE);
    await world.cutOff(OWN, 31);
    await world.confirmOff({ isTrue: false });
    expect(await world.claim(COPY)).toBe('claimed');
    expect(world.running).toHaveLength(1);
    await world.beat(OWN);
    expect(world.running).toHaveLength(0);
  });

  it('is refused to the role of another host', async () => {
    const world = await World.create(false);
    await query('SET SESSION AUTHORIZATION chat_web_other');
    expect(await world.claim(OWN)).toBe('unknown_host');
  });
});
