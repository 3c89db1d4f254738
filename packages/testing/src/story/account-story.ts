import assert from 'node:assert/strict';
import { ACCOUNT_EVENTS, type EventName } from '@chat-web/protocol';
import { beforeAll } from 'vitest';
import { ADA, BEN } from '../accounts.ts';
import { eventually } from '../eventually.ts';
import { browserAndWorkerIn } from '../processes.ts';
import type { EventLog } from '../stack/event-log.ts';
import { stanzaOf } from '../stack/example-world.ts';
import { sharedStack } from './suites.ts';

const NAMES: readonly EventName[] = ['ready', 'message', ...ACCOUNT_EVENTS];

/** A session of Ada's that the tests of a suite share, linked long ago; its events, and functions that cause some. */
export function sharedAccountStory() {
  const stack = sharedStack();
  let events: EventLog;
  beforeAll(async () => {
    await stack.linkLongAgo('main', ADA);
    events = await stack.listen('main', NAMES);
  });
  return {
    stack,
    get events() {
      return events;
    },
    fromBen: async (body: string) => {
      const { id } = await stack.phones.send(BEN, { to: ADA, body });
      await events.until('message', (message) => message.body === body);
      return { stanza: id, id: `false_${BEN}@c.us_${id}` };
    },
    toBen: async (body: string) => {
      const { id } = await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body });
      await stack.onPhone(BEN, id);
      return { stanza: stanzaOf(id), id };
    },
    /** Kills the worker as in a crash and waits until the session is back. Phones act in `work` meanwhile. */
    duringCrash: async (work: () => Promise<unknown>) => {
      const ready = events.all('ready').length;
      const { worker } = browserAndWorkerIn(`${stack.dataDir}/sessions/main`);
      process.kill(worker, 'SIGKILL');
      await work();
      await eventually(() => assert(events.all('ready').length > ready, 'the session is not back'));
      await stack.settled();
    },
  };
}
