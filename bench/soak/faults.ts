import { setTimeout as delay } from 'node:timers/promises';
import type { DisturbArguments } from '@chat-web/simulator';
import { type Descendant, descendantsOf } from '@chat-web/testing';
import type { Stack } from '@chat-web/testing/stack';
import type { SoakAccount } from './account.ts';

export interface Victim {
  readonly account: SoakAccount;
  readonly accounts: readonly SoakAccount[];
  readonly stack: Stack;
  readonly workerPid: number;
}

const isRenderer = ({ command }: Descendant) => command.includes('--type=renderer');
const isBrowser = ({ command }: Descendant) => command.includes('--user-data-dir=') && !command.includes('--type=');

function signal(workerPid: number, fits: (process: Descendant) => boolean, name: NodeJS.Signals): void {
  for (const process_ of descendantsOf(workerPid).filter(fits)) process.kill(process_.pid, name);
}

/** Does nothing if the account has no page now. */
async function disturb({ stack: { phones }, account }: Victim, ...disturbance: DisturbArguments): Promise<void> {
  const page = (await phones.pages()).find(({ number }) => number === account.number);
  if (page) await phones.disturb(page.id, ...disturbance);
}

/** The faults. Each returns when it has been injected, not when the session has recovered. */
export const faults: Readonly<Record<string, (victim: Victim) => Promise<void> | void>> = {
  'worker killed': ({ workerPid }) => void process.kill(workerPid, 'SIGKILL'),
  'browser killed': ({ workerPid }) => signal(workerPid, isBrowser, 'SIGKILL'),
  'renderer killed': ({ workerPid }) => signal(workerPid, isRenderer, 'SIGKILL'),
  'worker stopped': ({ workerPid }) => void process.kill(workerPid, 'SIGSTOP'),
  'renderer stopped': ({ workerPid }) => signal(workerPid, isRenderer, 'SIGSTOP'),
  'browser stopped': ({ workerPid }) => signal(workerPid, isBrowser, 'SIGSTOP'),
  'page reloaded': (victim) => disturb(victim, 'reload'),
  'page busy for 15 s': (victim) => disturb(victim, 'block', { ms: 15_000 }),
  'page deaf': (victim) => disturb(victim, 'deaf'),
  'connection lost for 10 s': async ({ stack: { phones }, account }) => {
    await phones.disconnect(account.number);
    await delay(10_000);
    await phones.reconnect(account.number);
  },
  'connection half open for 20 s': async ({ stack: { phones }, account }) => {
    await phones.stall(account.number, true);
    await delay(20_000);
    await phones.stall(account.number, false);
  },
  'used elsewhere, then taken back by hand': async (victim) => {
    await disturb(victim, 'conflict');
    await delay(5_000);
    await victim.stack.client.restartSession({ id: victim.account.id });
  },
  'gateway killed': async ({ accounts, stack }) => {
    for (const account of accounts) account.expectEnd();
    await stack.gateway.end('SIGKILL');
    await stack.restartGateway();
  },
  'consumer away for 20 s': ({ account }) => account.leave(20_000),
  'stopped and started by hand': async ({ stack: { client }, account }) => {
    await client.stopSession({ id: account.id });
    await client.startSession({ id: account.id });
  },
};
