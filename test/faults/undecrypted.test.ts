import { ADA, BEN, browserAndWorkerIn, eventually, idOf } from '@chat-web/testing';
import { stanzaOf, storedEvents } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, expect, it } from 'vitest';

const stack = sharedStack();
beforeAll(() => stack.link('main', ADA));

/** Longer than the page waits for a content. */
const WAIT_MS = 60_000;
const stored = () => storedEvents(stack, 'main', ['ready', 'message', 'message_sent']);
/** What was reported of a message so far, over all restarts. */
const told = async (stanza: string) =>
  (await stored()).flatMap((event) => {
    if (event.name !== 'message' && event.name !== 'message_sent') return [];
    const { id, unavailable, body } = event.data;
    return stanzaOf(id) === stanza ? [unavailable ?? body] : [];
  });
const untilTold = (stanza: string, ...expected: string[]) =>
  eventually(async () => expect(await told(stanza)).toEqual(expected), WAIT_MS);
const timesReady = async () => (await stored()).filter(({ name }) => name === 'ready').length;
const untilReadyAgain = async (work: () => Promise<unknown>) => {
  const before = await timesReady();
  await work();
  await eventually(async () => expect(await timesReady()).toBeGreaterThan(before), WAIT_MS);
  await stack.settled();
};
const crash = async () => process.kill(browserAndWorkerIn(`${stack.dataDir}/sessions/main`).worker, 'SIGKILL');

it('a message that stays undecrypted is one event, and its content one more, over crashes of worker and gateway', async () => {
  const { id: trip } = await stack.createGroup(BEN, { subject: 'Trip', participants: [ADA] });
  const send = async (from: string, to: string, body: string) =>
    (await stack.phones.send(from, { to, body, undecrypted: {} })).id;
  const live = await send(BEN, ADA, 'live');
  const missed = await send(BEN, ADA, 'missed');
  const never = await send(BEN, ADA, 'never');
  const own = await send(ADA, BEN, 'own');
  const inGroup = await send(BEN, trip, 'in a group');
  for (const stanza of [live, missed, never, own, inGroup]) await untilTold(stanza, 'not_decrypted');
  const messageId = `false_${idOf(BEN)}_${live}`;
  const unread = { type: 'unknown', body: '', unavailable: 'not_decrypted', senderName: 'Ben Okafor' };
  expect(await stack.client.getMessage({ id: 'main', messageId })).toMatchObject(unread);

  await stack.phones.decrypt(ADA, own);
  for (const stanza of [live, inGroup]) await stack.phones.decrypt(BEN, stanza);
  await untilTold(live, 'not_decrypted', 'live');
  await untilTold(own, 'not_decrypted', 'own');
  await untilTold(inGroup, 'not_decrypted', 'in a group');

  await untilReadyAgain(async () => {
    await stack.client.stopSession({ id: 'main' });
    await stack.phones.decrypt(BEN, missed);
    await stack.gateway.end('SIGKILL');
    await stack.restartGateway();
    await stack.client.startSession({ id: 'main' });
  });
  await untilTold(missed, 'not_decrypted', 'missed');
  await untilReadyAgain(crash);
  await stack.disturb(ADA, 'reload');
  await stack.settled();
  const all = await Promise.all([live, missed, never, own, inGroup].map(told));
  expect(all).toEqual([
    ['not_decrypted', 'live'],
    ['not_decrypted', 'missed'],
    ['not_decrypted'],
    ['not_decrypted', 'own'],
    ['not_decrypted', 'in a group'],
  ]);
});

it('a message that is decrypted within seconds is one event, though the page is lost meanwhile', async () => {
  const { id } = await stack.phones.send(BEN, { to: ADA, body: 'seconds later', undecrypted: {} });
  await stack.settled();
  await untilReadyAgain(crash);
  await stack.phones.decrypt(BEN, id);
  await untilTold(id, 'seconds later');
});
