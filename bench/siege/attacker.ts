import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { type Blow, manageKey, type Position, sendKey, stranger, worker } from './attacks.ts';

/** Attacks in its own thread until a message stops it; then posts the outcomes of each kind of request. */

export const attackers = { 'send-key': sendKey, 'manage-key': manageKey, stranger, worker };
export type AttackerName = keyof typeof attackers;
export type Outcomes = Readonly<Record<string, Readonly<Record<string, number>>>>;

const AT_ONCE = 4;
/** A client that is refused at once must not take the whole machine. */
const PAUSE_MS = 5;

let isOver = false;
const { name, position } = workerData as { readonly name: AttackerName; readonly position: Position };
parentPort?.once('message', () => {
  isOver = true;
});
const blows = Object.entries<Blow>(attackers[name](position));
const counted = await Promise.all(blows.map(async ([what, blow]) => [what, await repeated(blow)] as const));
parentPort?.postMessage(Object.fromEntries(counted) satisfies Outcomes);

async function repeated(blow: Blow): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  let n = 0;
  const strike = async () => {
    while (!isOver) {
      n += 1;
      const outcome = String(await blow(n).catch((error: Error) => error.name));
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      await delay(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, strike));
  return outcomes;
}
