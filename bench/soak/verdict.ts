import type { PhoneMessage } from '@chat-web/simulator';
import type { SoakAccount } from './account.ts';
import { median, type Vitals } from './vitals.ts';

/** One requirement, and what was measured. */
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
  gatewayMb: 6,
};

function count(values: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1);
  return times;
}

/** Judges the traffic: no message lost or duplicated, no wrong answer. */
export function judgeTraffic(accounts: readonly SoakAccount[], onPhone: readonly PhoneMessage[]): Finding[] {
  const expected = accounts.flatMap((account) => account.expected);
  const heard = count(accounts.flatMap((account) => account.heard));
  const lost = expected.filter((body) => !heard.has(body)).length;
  const doubled = [...heard.values()].filter((times) => times > 1).length;
  const sends = accounts.flatMap((account) => account.sends);
  const arrived = count(onPhone.map(({ body }) => body));
  const copies = (body: string) => arrived.get(body) ?? 0;
  const wrong = sends.filter(({ body, outcome }) => {
    if (outcome === 'sent') return copies(body) !== 1;
    return outcome === 'outcome_unknown' ? copies(body) > 1 : copies(body) > 0;
  });
  const outcomes = [...count(sends.map(({ outcome }) => outcome))].map(([name, times]) => `${times} ${name}`);
  const ends = accounts.reduce((sum, { streamEnds }) => sum + streamEnds, 0);
  return [
    { what: 'inbound messages lost', seen: `${lost} of ${expected.length}`, isFine: lost === 0 },
    { what: 'inbound messages delivered twice', seen: `${doubled}`, isFine: doubled === 0 },
    { what: 'sends with a wrong answer', seen: `${wrong.length} of ${sends.length}`, isFine: wrong.length === 0 },
    { what: 'answers to sends', seen: outcomes.join(', '), isFine: true },
    { what: 'streams that ended', seen: `${ends}`, isFine: ends === 0 },
  ];
}

/**
 * Judges growth: the last third of the run against the second, when everything has warmed up. For memory the lowest
 * measurement counts: the rest is garbage that is collected later.
 */
export function judgeGrowth(looks: readonly Vitals[]): Finding[] {
  const third = Math.max(1, Math.floor(looks.length / 3));
  const warm = looks.slice(-2 * third);
  return (Object.keys(SLACK) as (keyof Vitals)[]).map((name) => {
    const typical = name === 'gatewayMb' ? (values: readonly number[]) => Math.min(...values) : median;
    const early = typical(warm.slice(0, third).map((one) => one[name]));
    const late = typical(warm.slice(-third).map((one) => one[name]));
    const digits = name === 'gatewayMb' ? 1 : 0;
    return {
      what: `${name}, second and last third`,
      seen: `${early.toFixed(digits)}, ${late.toFixed(digits)}`,
      isFine: late - early <= SLACK[name],
    };
  });
}
