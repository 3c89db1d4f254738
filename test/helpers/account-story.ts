import { setTimeout as delay } from 'node:timers/promises';
import { ACCOUNT_EVENTS, type EventName } from '@chat-web/protocol';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import { browserAndWorkerIn } from './processes.ts';
import { ADA, BEN, Stack } from './stack.ts';

const NAMES: readonly EventName[] = ['ready', 'message', ...ACCOUNT_EVENTS];

/** A duplicate event has arrived by then. */
export const SETTLED_MS = 500;

/** A session of Ada's, linked long ago, with a log of its events and functions that cause some. */
export async function startAccountStory() {
  const stack = await Stack.start();
  await stack.linkLongAgo('main', ADA);
  const events = await stack.listen('main', NAMES);
  return {
    ...{ stack, events },
    fromBen: async (body: string) => {
      const { id } = await stack.phones.send(BEN, { to: ADA, body });
      await events.until('message', (message) => message.body === body);
      return { stanza: id, id: `false_${BEN}@c.us_${id}` };
    },
    toBen: async (body: string) => {
      const { id } = await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body });
      await stack.onPhone(BEN, id);
      return { stanza: id.split('_')[2] ?? '', id };
    },
    /** Kills the worker as in a crash and waits until the session is back. Phones act in `work` meanwhile. */
    overACrash: async (work: () => Promise<unknown>) => {
      const ready = events.all('ready').length;
      const { worker } = browserAndWorkerIn(`${stack.dataDir}/sessions/main`);
      process.kill(worker, 'SIGKILL');
      await work();
      await eventually(() => expect(events.all('ready').length).toBeGreaterThan(ready), 60_000);
      await delay(2 * SETTLED_MS);
    },
  };
}
