import { setTimeout as delay } from 'node:timers/promises';
import type { OperationMethods } from '@chat-web/protocol';
import type { SimulatorClient } from '@chat-web/simulator';
import { type Descendant, descendantsOf } from '../process-tree.ts';
import type { World } from '../world.ts';
import type { SoakAccount } from './account.ts';

/** The session that a fault hits. */
export interface Victim {
  readonly account: SoakAccount;
  /** All accounts. */
  readonly accounts: readonly SoakAccount[];
  readonly world: Pick<World, 'restartGateway'>;
  readonly workerPid: number;
  readonly client: OperationMethods;
  readonly phones: SimulatorClient;
}

const isRenderer = ({ command }: Descendant) => command.includes('--type=renderer');
const isBrowser = ({ command }: Descendant) => command.includes('--user-data-dir=') && !command.includes('--type=');

function signal(workerPid: number, fits: (process: Descendant) => boolean, name: NodeJS.Signals): void {
  for (const process_ of descendantsOf(workerPid).filter(fits)) process.kill(process_.pid, name);
}

async function disturb({ phones, account }: Victim, act: (pageId: string) => Promise<void>): Promise<void> {
  const page = (await phones.pages()).find(({ number }) => number === account.number);
  if (page) await act(page.id);
}

/** The faults. Each returns when it has been injected, not when the session has recovered. */
export const faults: Readonly<Record<string, (victim: Victim) => Promise<void> | void>> = {
  'worker killed': ({ workerPid }) => void process.kill(workerPid, 'SIGKILL'),
  'browser killed': ({ workerPid }) => signal(workerPid, isBrowser, 'SIGKILL'),
  'renderer killed': ({ workerPid }) => signal(workerPid, isRenderer, 'SIGKILL'),
  'worker stopped': ({ workerPid }) => void process.kill(workerPid, 'SIGSTOP'),
  'renderer stopped': ({ workerPid }) => signal(workerPid, isRenderer, 'SIGSTOP'),
  'browser stopped': ({ workerPid }) => signal(workerPid, isBrowser, 'SIGSTOP'),
  'page reloaded': (victim) => disturb(victim, (page) => victim.phones.disturb(page, 'reload')),
  'page busy for 15 s': (victim) => disturb(victim, (page) => victim.phones.disturb(page, 'block', { ms: 15_000 })),
  'page deaf': (victim) => disturb(victim, (page) => victim.phones.disturb(page, 'deaf')),
  'connection lost for 10 s': async ({ phones, account }) => {
    await phones.disconnect(account.number);
    await delay(10_000);
    await phones.reconnect(account.number);
  },
  'connection half open for 20 s': async ({ phones, account }) => {
    await phones.stall(account.number, true);
    await delay(20_000);
    await phones.stall(account.number, false);
  },
  'used elsewhere, then taken back by hand': async (victim) => {
    await disturb(victim, (page) => victim.phones.disturb(page, 'conflict'));
    await delay(5_000);
    await victim.client.restartSession({ id: victim.account.id });
  },
  'gateway killed': async ({ accounts, world }) => {
    for (const account of accounts) account.expectEnd();
    await world.restartGateway(undefined, 'SIGKILL');
  },
  'consumer away for 20 s': ({ account }) => account.leave(20_000),
  'stopped and started by hand': async ({ client, account }) => {
    await client.stopSession({ id: account.id });
    await client.startSession({ id: account.id });
  },
};
