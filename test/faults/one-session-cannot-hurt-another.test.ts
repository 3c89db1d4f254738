import type { SessionView } from '@chat-web/protocol';
import {
  ADA,
  BEN,
  browserAndWorkerIn,
  CARLA,
  DEV,
  eventually,
  FARID,
  figure,
  pace,
  rounds,
  seconds,
  withRoom,
} from '@chat-web/testing';
import { type EventLog, Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

const ACCOUNTS = { ada: ADA, ben: BEN, carla: CARLA, dev: DEV };
const ROUNDS = rounds({ few: 3, all: 20 });
const READY_WITHIN_MS = 10_000;

/** A session, and what is expected of its events. */
interface Party {
  readonly id: string;
  readonly number: string;
  readonly events: EventLog;
  readonly sentToIt: string[];
  kills: number;
}

describe(`the SIGKILL of one worker of four, ${ROUNDS} times`, () => {
  it('changes nothing for the others, and the session itself is back within 10 s on the same stream', async () => {
    await using stack = await Stack.start();
    const parties: Party[] = [];
    for (const [id, number] of Object.entries(ACCOUNTS)) {
      await stack.link(id, number);
      parties.push({ id, number, events: await stack.listen(id), sentToIt: [], kills: 0 });
    }

    const recoveries: number[] = [];
    let sent = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const victim = parties[Math.floor(Math.random() * parties.length)] as Party;
      const others = parties.filter((party) => party !== victim);
      const before = await viewsOf(stack, others);
      victim.kills += 1;
      const killedAt = Date.now();
      process.kill(browserAndWorkerIn(`${stack.dataDir}/sessions/${victim.id}`).worker, 'SIGKILL');

      const isBack = () => victim.events.all('ready').length === victim.kills;
      const back = eventually(() => expect(isBack()).toBe(true)).then(() => Date.now() - killedAt);
      for (let turn = 0; !isBack() && Date.now() < killedAt + 60_000; turn += 1) {
        await Promise.all(others.map((party) => exchange(stack, party, `round ${round}, turn ${turn}`)));
        sent += others.length;
        await pace(100);
      }
      recoveries.push(await back);
      expect(await viewsOf(stack, others)).toEqual(before);
      await eventually(() => {
        for (const party of others) expect(bodiesReceivedBy(party), party.id).toEqual(party.sentToIt);
      });
      for (const party of parties) expectOnlyItsOwnRestarts(party);
    }

    const slowest = Math.max(...recoveries);
    figure(
      'isolation of sessions',
      `${ROUNDS} rounds with ${sent} messages each way, 0 side effects, ready again after ${seconds(slowest)} at most`,
    );
    expect(slowest).toBeLessThanOrEqual(withRoom(READY_WITHIN_MS));
  });
});

/** The friend writes to a session, and the session to the friend; any answer but a 2xx rejects. */
async function exchange(stack: Stack, { id, number, sentToIt }: Party, body: string): Promise<void> {
  sentToIt.push(body);
  await Promise.all([
    stack.phones.send(FARID, { to: number, body }),
    stack.client.sendMessage({ id, type: 'text', to: FARID, body: `${id} in ${body}` }),
  ]);
}

function bodiesReceivedBy({ events }: Party): string[] {
  return events.all('message').map(({ body }) => body);
}

/** The status of sessions, since when, and how often they were restarted. */
async function viewsOf(stack: Stack, parties: readonly Party[]): Promise<Partial<SessionView>[]> {
  const { sessions } = await stack.client.listSessions();
  return sessions
    .filter(({ id }) => parties.some((party) => party.id === id))
    .map(({ id, status, since, restarts }) => ({ id, status, since, restarts }));
}

function expectOnlyItsOwnRestarts({ id, events, kills }: Party): void {
  const names = events.events.map(({ name }) => name).filter((name) => !name.startsWith('message'));
  expect(names, id).toEqual(Array.from({ length: kills }, () => ['disconnected', 'ready']).flat());
  expect(events.ended, id).toBe(false);
}
