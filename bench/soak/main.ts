import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ADA, BEN } from '@chat-web/testing';
import type { Stack } from '@chat-web/testing/stack';
import { withStack } from '../stack.ts';
import { SoakAccount } from './account.ts';
import { faults } from './faults.ts';
import { judgeGrowth, judgeTraffic, look, MEASURABLE, type Vitals } from './verdict.ts';

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
const NUMBERS = [ADA, '12025550181', '12025550182', '12025550183'];

const { minutes: written } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } }).values;
const minutes = Number(written);
if (!(minutes > 0)) {
  process.stderr.write('Usage: npm run soak -- --minutes <how long, more than 0>\n');
  process.exit(64);
}
const isFine = await withStack(soak, { simulator: {}, settings: MEASURABLE });
process.exitCode = isFine ? 0 : 1;

async function soak(stack: Stack): Promise<boolean> {
  const accounts = await linkAll(stack);
  const over = new AbortController();
  const listening = accounts.map((account) => account.listen(() => stack.gateway, over.signal));
  await delay(500);
  const traffic = new AbortController();
  const talking = talk(stack, accounts, traffic.signal);
  const looks: Vitals[] = [];
  for (let minute = 1; minute <= minutes; minute += 1) looks.push(await oneMinute(stack, accounts, minute));
  traffic.abort();
  await talking;
  await allReady(stack, accounts);
  await delay(5_000);
  looks.push(await look(stack));
  over.abort();
  await Promise.all(listening);
  const findings = [...judgeTraffic(accounts, await stack.phones.messages(BEN)), ...judgeGrowth(looks)];
  console.log(`\nsoak of ${minutes} minutes, ${accounts.length} sessions, a fault a minute`);
  for (const { what, seen, isFine } of findings) console.log(`${isFine ? '  ' : '! '}${what}: ${seen}`);
  return findings.every((finding) => finding.isFine);
}

async function linkAll(stack: Stack): Promise<SoakAccount[]> {
  const accounts = NUMBERS.map((number, place) => new SoakAccount(`soak-${place + 1}`, number));
  const known = new Set((await stack.phones.accounts()).map(({ number }) => number));
  for (const { id, number } of accounts) {
    if (!known.has(number)) await stack.phones.addAccount({ number, name: id });
    await stack.link(id, number);
  }
  return accounts;
}

async function allReady({ client }: Stack, accounts: readonly SoakAccount[]): Promise<void> {
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
async function talk(stack: Stack, accounts: SoakAccount[], signal: AbortSignal): Promise<void> {
  const answers: Promise<void>[] = [];
  for (let n = 0; !signal.aborted; n += 1) {
    for (const account of accounts) {
      await account.receive(stack.phones, BEN);
      if (n % READ_EVERY === 0) await stack.phones.read(BEN, account.number);
      if (n % (OUTBOUND_EVERY_MS / INBOUND_EVERY_MS) === 0) answers.push(account.send(() => stack.client, BEN));
    }
    await delay(INBOUND_EVERY_MS);
  }
  await Promise.all(answers);
}

async function oneMinute(stack: Stack, accounts: readonly SoakAccount[], minute: number): Promise<Vitals> {
  const endsAt = Date.now() + MINUTE_MS;
  const names = Object.keys(faults);
  const name = names[Math.floor(Math.random() * names.length)] ?? '';
  const account = accounts[Math.floor(Math.random() * accounts.length)] as SoakAccount;
  const workerPid = workerOf(stack, account.id);
  await faults[name]?.({ account, accounts, workerPid, stack });
  await delay(Math.max(0, endsAt - Date.now()));
  const { sessions } = await stack.client.listSessions();
  const vitals = await look(stack);
  const ready = sessions.filter(({ status }) => status === 'ready').length;
  const shown = `${vitals.processes} processes, ${vitals.fileDescriptors} fds, ${vitals.temporaryFiles} temporary files`;
  console.log(
    `${minute}. ${account.id}: ${name}; ${ready} of ${accounts.length} ready, ${shown}, ${vitals.liveMb.toFixed(1)} and ${vitals.nativeMb.toFixed(1)} MB`,
  );
  return vitals;
}

/** The current worker of a session, from the gateway's log. */
function workerOf({ gateway }: Stack, id: string): number {
  for (let place = gateway.log.length - 1; place >= 0; place -= 1) {
    const line = gateway.log[place] ?? '';
    if (!line.includes('"worker started"')) continue;
    const { session, pid } = JSON.parse(line) as { session?: string; pid?: number };
    if (session === id && pid) return pid;
  }
  throw new Error(`session ${id} has no worker`);
}
