import { parseArgs } from 'node:util';
import { hasHeadlessShell } from '@chat-web/worker/browser';
import { type Benchmark, Noise, type Round, tableOf } from './benchmark.ts';
import { console300 } from './console.ts';
import { downloads } from './downloads.ts';
import { eight, eightShell } from './eight.ts';
import { events } from './events.ts';
import { forwarding } from './forwarding.ts';
import { status } from './front.ts';
import { hosts } from './hosts.ts';
import { idle } from './idle.ts';
import { journal } from './journal.ts';
import { savedStart } from './saved-start.ts';
import { sends } from './sends.ts';

/** Compares the gateway with the bare library: see docs/benchmarks.md. */

const ATTEMPTS = 3;

const usual = [status, console300, journal, events, hosts, forwarding, sends, savedStart, downloads, idle, eight];
const benchmarks = [...usual, ...(hasHeadlessShell(process.env) ? [eightShell] : [])];
const { values } = parseArgs({
  options: { only: { type: 'string' }, rounds: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
const names = benchmarks.map(({ name }) => name);
if (values.help) {
  console.log(`npm run bench [-- --only ${names.join(',')}] [--rounds <number>]`);
  process.exit(0);
}
const wanted = values.only?.split(',') ?? usual.map(({ name }) => name);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`unknown benchmark ${unknown.join(', ')}: choose from ${names.join(', ')}`);
  process.exit(64);
}
for (const benchmark of benchmarks.filter(({ name }) => wanted.includes(name))) {
  const noise = new Noise();
  const rounds = Number(values.rounds ?? benchmark.rounds);
  const startedAt = performance.now();
  const measured: Round[] = [];
  for (let turn = 0; turn < rounds; turn += 1) {
    noise.sample();
    const round = await tried(benchmark, turn);
    if (round) measured.push(round);
  }
  noise.sample();
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  console.log(`\n${benchmark.name}: medians [min–max] of ${measured.length} rounds, ${minutes} min`);
  console.table(tableOf(benchmark, measured));
  console.log(String(noise));
}

/**
 * Repeats a round that fails: the bare library does not always get a session ready. Undefined: every attempt failed.
 */
async function tried(benchmark: Benchmark, turn: number): Promise<Round | undefined> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      return await benchmark.round(turn);
    } catch (error) {
      console.error(`${benchmark.name}: attempt ${attempt} of ${ATTEMPTS} failed: ${String(error)}`);
    }
  }
}
