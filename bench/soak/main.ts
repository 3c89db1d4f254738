import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type World, withWorld } from '../world.ts';
import { SoakAccount } from './account.ts';
import { faults } from './faults.ts';
import { judgeGrowth, judgeTraffic } from './verdict.ts';
import { look, type Vitals } from './vitals.ts';

/**
 * A long run with traffic both ways and one random fault a minute, on one session of four, its consumer or the gateway.
 * Exits with 1 if a message or an ack was lost or reported twice, an answer was wrong, or resources grew.
 */

const MINUTE_MS = 60_000;
const INBOUND_EVERY_MS = 500;
const OUTBOUND_EVERY_MS = 1_000;
/** The friend reads the messages after this many. */
const READ_EVERY = 40;
const SETTLE_TIMEOUT_MS = 6 * MINUTE_MS;
const FRIEND = '12025550102';
const NUMBERS = ['12025550101', '12025550181', '12025550182', '12025550183'];

const { minutes: written } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } }).values;
const minutes = Number(written);
if (!(minutes > 0)) {
  process.stderr.write('Usage: npm run soak -- --minutes <how long, more than 0>\n');
  process.exit(64);
}
const isFine = await withWorld(soak, {});
process.exitCode = isFine ? 0 : 1;

async function soak(world: World): Promise<boolean> {
  const accounts = await linkAll(world);
  const over = new AbortController();
  const listening = accounts.map((account) => account.listen(() => world.gateway, over.signal));
  await delay(500);
  const traffic = new AbortController();
  const talking = talk(world, accounts, traffic.signal);
  const looks: Vitals[] = [];
  for (let minute = 1; minute <= minutes; minute += 1) looks.push(await oneMinute(world, accounts, minute));
  traffic.abort();
  await talking;
  await allReady(world, accounts);
  await delay(5_000);
  looks.push(look(world.gateway.pid, world.dataDir));
  over.abort();
  await Promise.all(listening);
  const findings = [...judgeTraffic(accounts, await world.simulator.phones.messages(FRIEND)), ...judgeGrowth(looks)];
  console.log(`\nsoak of ${minutes} minutes, ${accounts.length} sessions, a fault a minute`);
  for (const { what, seen, isFine } of findings) console.log(`${isFine ? '  ' : '! '}${what}: ${seen}`);
  return findings.every((finding) => finding.isFine);
}

async function linkAll({ client, simulator }: World): Promise<SoakAccount[]> {
  const accounts = NUMBERS.map((number, place) => new SoakAccount(`soak-${place + 1}`, number));
  const known = new Set((await simulator.phones.accounts()).map(({ number }) => number));
  for (const { id, number } of accounts) {
    if (!known.has(number)) await simulator.phones.addAccount({ number, name: id });
    const { qr } = await client.startSession({ id });
    await simulator.phones.scan(number, qr ?? '');
  }
  await allReady({ client }, accounts);
  return accounts;
}

async function allReady({ client }: Pick<World, 'client'>, accounts: readonly SoakAccount[]): Promise<void> {
  const deadline = Date.now() + SETTLE_TIMEOUT_MS;
  for (;;) {
    const { sessions } = await client.listSessions();
    const down = sessions.filter(({ status }) => status !== 'ready');
    if (sessions.length === accounts.length && down.length === 0) return;
    if (Date.now() > deadline) throw new Error(`not all sessions recovered: ${JSON.stringify(down)}`);
    await delay(500);
  }
}

/** Traffic both ways until the signal aborts; then waits for the pending answers. */
async function talk(world: World, accounts: SoakAccount[], signal: AbortSignal): Promise<void> {
  const answers: Promise<void>[] = [];
  for (let n = 0; !signal.aborted; n += 1) {
    for (const account of accounts) {
      await account.receive(world.simulator.phones, FRIEND);
      if (n % READ_EVERY === 0) await world.simulator.phones.read(FRIEND, account.number);
      if (n % (OUTBOUND_EVERY_MS / INBOUND_EVERY_MS) === 0) answers.push(account.send(() => world.client, FRIEND));
    }
    await delay(INBOUND_EVERY_MS);
  }
  await Promise.all(answers);
}

/** One fault on one session, and a measurement at the end of the minute. */
async function oneMinute(world: World, accounts: readonly SoakAccount[], minute: number): Promise<Vitals> {
  const endsAt = Date.now() + MINUTE_MS;
  const names = Object.keys(faults);
  const name = names[Math.floor(Math.random() * names.length)] ?? '';
  const account = accounts[Math.floor(Math.random() * accounts.length)] as SoakAccount;
  const workerPid = workerOf(world, account.id);
  await faults[name]?.({ account, accounts, workerPid, world, client: world.client, phones: world.simulator.phones });
  await delay(Math.max(0, endsAt - Date.now()));
  const { sessions } = await world.client.listSessions();
  const vitals = look(world.gateway.pid, world.dataDir);
  const ready = sessions.filter(({ status }) => status === 'ready').length;
  const shown = `${vitals.processes} processes, ${vitals.fileDescriptors} fds, ${vitals.temporaryFiles} temporary files`;
  console.log(
    `${minute}. ${account.id}: ${name}; ${ready} of ${accounts.length} ready, ${shown}, ${vitals.gatewayMb.toFixed(1)} MB`,
  );
  return vitals;
}

/** The current worker of a session, from the gateway's log. */
function workerOf({ gateway }: World, id: string): number {
  for (let place = gateway.log.length - 1; place >= 0; place -= 1) {
    const line = gateway.log[place] ?? '';
    if (!line.includes('"worker started"')) continue;
    const { session, pid } = JSON.parse(line) as { session?: string; pid?: number };
    if (session === id && pid) return pid;
  }
  throw new Error(`session ${id} has no worker`);
}
