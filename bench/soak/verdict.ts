import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PhoneMessage } from '@chat-web/simulator';
import { descendantsOf, eventually } from '@chat-web/testing';
import type { Stack } from '@chat-web/testing/stack';
import { median } from '../benchmark.ts';
import { pssMb } from '../processes.ts';
import type { SoakAccount } from './account.ts';

export interface Finding {
  readonly what: string;
  readonly seen: string;
  readonly isFine: boolean;
}

/** Differences up to this are noise, not growth. */
const SLACK: Readonly<Record<keyof Vitals, number>> = {
  processes: 2,
  fileDescriptors: 5,
  temporaryFiles: 4,
  /** The keys of sends are kept for a day: in a run of more than four hours, they alone take more. */
  liveMb: 3,
  /** The heap is measured a moment before the process, and not all of it is in use. */
  nativeMb: 12,
};
const MB = 1_048_576;

function count(values: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1);
  return times;
}

/** Judges the traffic: no message or ack lost, reported twice or out of order, and no wrong answer. */
export function judgeTraffic(accounts: readonly SoakAccount[], onPhone: readonly PhoneMessage[]): Finding[] {
  const expected = accounts.flatMap((account) => account.expected);
  const received = accounts.map((account) => bodiesOf(account));
  const times = count(received.flat());
  const lost = expected.filter((body) => !times.has(body)).length;
  const doubled = [...times.values()].filter((count) => count > 1).length;
  const disordered = accounts.filter(({ expected }, n) => expected.join() !== received[n]?.join()).length;
  const ids = accounts.flatMap(({ record }) => record.flatMap(({ id }) => id ?? []));
  const sends = accounts.flatMap((account) => account.sends);
  const arrived = count(onPhone.map(({ body }) => body));
  const copies = (body: string) => arrived.get(body) ?? 0;
  const wrong = sends.filter(({ body, outcome, isKeyed }) => {
    if (outcome === 'sent' || isKeyed) return outcome !== 'sent' || copies(body) !== 1;
    // The client's own code for a missing answer, for example of a gateway that was killed.
    return ['outcome_unknown', 'internal_error'].includes(outcome) ? copies(body) > 1 : copies(body) > 0;
  });
  const outcomes = [...count(sends.map(({ outcome }) => outcome))].map(([name, times]) => `${times} ${name}`);
  const ends = accounts.reduce((sum, { unexpectedEnds }) => sum + unexpectedEnds, 0);
  const { missing, falling, sent } = judgeAcks(accounts, onPhone);
  const gaps = accounts.flatMap(({ record }) => record.flatMap(({ event }) => (event.name === 'gap' ? [event] : [])));
  return [
    { what: 'inbound messages lost', seen: `${lost} of ${expected.length}`, isFine: lost === 0 },
    { what: 'inbound messages delivered twice', seen: `${doubled}`, isFine: doubled === 0 },
    { what: 'sessions with messages out of order', seen: `${disordered}`, isFine: disordered === 0 },
    { what: 'sends with a wrong answer', seen: `${wrong.length} of ${sends.length}`, isFine: wrong.length === 0 },
    { what: 'answers to sends', seen: outcomes.join(', '), isFine: true },
    {
      what: 'messages on the phone whose last ack was not delivered',
      seen: `${missing} of ${sent}`,
      isFine: missing === 0,
    },
    { what: 'acks that did not rise', seen: `${falling}`, isFine: falling === 0 },
    {
      what: 'ids of events',
      seen: `${ids.length}, ${new Set(ids).size} different`,
      isFine: new Set(ids).size === ids.length,
    },
    { what: 'gaps delivered', seen: `${gaps.length}`, isFine: gaps.length === 0 },
    { what: 'streams that ended, other than by a fault', seen: `${ends}`, isFine: ends === 0 },
  ];
}

function bodiesOf({ record }: SoakAccount): string[] {
  return record.flatMap(({ event }) => (event.name === 'message' ? [event.data.body] : []));
}

/** For each message on the phone, the last ack in the consumer's record is the network's own; each is reported once. */
function judgeAcks(accounts: readonly SoakAccount[], onPhone: readonly PhoneMessage[]) {
  const acks = new Map<string, number[]>();
  for (const { event } of accounts.flatMap(({ record }) => record)) {
    if (event.name !== 'message_ack') continue;
    const [, , stanza = ''] = event.data.id.split('_');
    acks.set(stanza, [...(acks.get(stanza) ?? []), event.data.ack]);
  }
  const numbers = new Set(accounts.map(({ number }) => number));
  const sent = onPhone.filter(({ from }) => numbers.has(from.split('@')[0] ?? ''));
  const missing = sent.filter(({ id, ack }) => acks.get(id)?.at(-1) !== ack).length;
  const falling = [...acks.values()].filter((ofOne) =>
    ofOne.some((ack, n) => n > 0 && ack <= (ofOne[n - 1] ?? 0)),
  ).length;
  return { missing, falling, sent: sent.length };
}

/** Judges growth: the last third of the run against the second, when everything has warmed up. */
export function judgeGrowth(looks: readonly Vitals[]): Finding[] {
  const third = Math.max(1, Math.floor(looks.length / 3));
  const warm = looks.slice(-2 * third);
  return (Object.keys(SLACK) as (keyof Vitals)[]).map((name) => {
    const early = median(warm.slice(0, third).map((one) => one[name]));
    const late = median(warm.slice(-third).map((one) => one[name]));
    const digits = name.endsWith('Mb') ? 1 : 0;
    return {
      what: `${name}, second and last third`,
      seen: `${early.toFixed(digits)}, ${late.toFixed(digits)}`,
      isFine: late - early <= SLACK[name],
    };
  });
}

/** Figures that must not grow, at one moment. */
export interface Vitals {
  readonly processes: number;
  readonly fileDescriptors: number;
  /** Files in the temporary folders of the data folder, and those that browsers leave in the machine's. */
  readonly temporaryFiles: number;
  /** What the gateway keeps after a garbage collection, in MB: JavaScript objects and buffers. */
  readonly liveMb: number;
  /** The memory of the gateway's process (PSS) outside the JavaScript heap, in MB. */
  readonly nativeMb: number;
}

/** Settings of a gateway that is to be measured. */
export const MEASURABLE = { NODE_OPTIONS: `--import ${new URL('live-memory.js', import.meta.url)}` };

/** Measures a gateway that was started with the settings `MEASURABLE`. */
export async function look(stack: Stack): Promise<Vitals> {
  const { gateway, dataDir } = stack;
  const strays = readdirSync(tmpdir()).filter((name) => /^(\.?org\.chromium|puppeteer)/.test(name));
  const { liveBytes, heapBytes } = await collectGarbage(stack);
  return {
    processes: descendantsOf(gateway.pid).length,
    fileDescriptors: openFiles(stack),
    temporaryFiles: filesIn(join(dataDir, 'tmp')) + filesIn(join(dataDir, 'spool')) + strays.length,
    liveMb: liveBytes / MB,
    nativeMb: pssMb(gateway.pid) - heapBytes / MB,
  };
}

interface LiveMemory {
  readonly liveBytes: number;
  readonly heapBytes: number;
}

function collectGarbage({ gateway: { pid, log } }: Stack): Promise<LiveMemory> {
  const before = log.length;
  process.kill(pid, 'SIGUSR2');
  return eventually(() => {
    const line = log.slice(before).find((line) => line.startsWith('{"msg":"live memory"'));
    if (!line) throw new Error('the gateway does not print its memory');
    return JSON.parse(line) as LiveMemory;
  });
}

/**
 * The open files of a gateway, without connections that callers hold open: a fault that delays calls makes them open
 * more, for a minute or two.
 */
export function openFiles({ gateway: { pid, url } }: Stack): number {
  return readdirSync(`/proc/${pid}/fd`).length - connectionsTo(Number(new URL(url).port));
}

/** Established connections to a TCP port of this machine. One that only its caller has closed is not among them. */
function connectionsTo(port: number): number {
  const table = readFileSync('/proc/net/tcp', 'latin1');
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return [...table.matchAll(new RegExp(`^ *\\d+: [0-9A-F]{8}:${hex} \\S+ 01 `, 'gm'))].length;
}

function filesIn(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true }).length;
  } catch {
    return 0;
  }
}
