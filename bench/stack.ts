import { setTimeout as delay } from 'node:timers/promises';
import type { AccountSeed, SimulatorSettings } from '@chat-web/simulator';
import { ADA, BEN } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';

/** A simulator that adds no delays of its own, with the newest build of the page on which all of the library works. */
export const QUICK: Partial<SimulatorSettings> = {
  build: '2026-01',
  ackDelayMs: 0,
  pairDelayMs: 0,
  syncDelayMs: 0,
};

/** How long a session may take to become ready, for each that is started at once. */
const READY_TIMEOUT_MS = 30_000;
const POLL_MS = 20;

export interface SessionSeed {
  readonly id: string;
  readonly number: string;
}

/** Several sessions; the first is of `ADA`. */
export function sessionSeeds(count: number): SessionSeed[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `s${String(n).padStart(2, '0')}`,
    number: n === 0 ? ADA : `120255502${String(n).padStart(2, '0')}`,
  }));
}

/** The accounts of some sessions, and `BEN`. */
export function accountsOf(sessions: readonly SessionSeed[]): AccountSeed[] {
  return [{ id: '', number: BEN }, ...sessions].map(({ number }) => ({
    number,
    name: `Person ${number.slice(-3)}`,
  }));
}

interface Options {
  /** The accounts to link; by default those of the simulator. */
  readonly sessions?: readonly SessionSeed[];
  readonly simulator?: Partial<SimulatorSettings>;
  /** Of the gateway. */
  readonly settings?: Readonly<Record<string, string>>;
}

export async function withStack<T>(
  work: (stack: Stack) => Promise<T>,
  { sessions, simulator = QUICK, settings = {} }: Options = {},
): Promise<T> {
  await using stack = await Stack.start({
    simulator,
    accounts: sessions && accountsOf(sessions),
    settings: { CHAT_WEB_LOG_LEVEL: 'info', ...settings },
  });
  return await work(stack);
}

/**
 * Waits until sessions of a gateway are ready. Returns when each was, in ms since `startedAt` (`performance.now()`), in
 * that order.
 */
export async function untilReady({ client }: Stack, count: number, startedAt: number): Promise<number[]> {
  const readyAt: number[] = [];
  const lastAt = performance.now() + count * READY_TIMEOUT_MS;
  while (readyAt.length < count) {
    const { sessions } = await client.listSessions();
    const ready = sessions.filter(({ status }) => status === 'ready').length;
    const now = performance.now();
    while (readyAt.length < ready) readyAt.push(now - startedAt);
    if (now > lastAt) throw new Error(`${count - ready} of ${count} sessions did not become ready`);
    await delay(POLL_MS);
  }
  return readyAt;
}
