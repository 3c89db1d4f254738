import { sendText } from '@chat-web/host';
import { ADA, BEN, browserAndWorkerIn, CARLA, media } from '@chat-web/testing';
import { type EventLog, stanzaOf } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const [png] = media;
const base64 = Buffer.from(png?.bytes ?? []).toString('base64');

const stack = sharedStack();
let events: EventLog;
let group: string;
beforeAll(async () => {
  await stack.link('main', ADA);
  events = await stack.listen('main');
  group = await stack.client.createGroup({ id: 'main', subject: 'Trip', participants: [CARLA] });
});

const send = async (body: string) => (await sendText(stack.client, { id: 'main', type: 'text', to: BEN, body })).id;
/** A message of Ben's, as the session has it. */
const received = async (message: object) => {
  const { id } = await stack.phones.send(BEN, { to: ADA, ...message });
  return (await events.until('message', (one) => stanzaOf(one.id) === id)).id;
};
const forward = (messageId: string, to: string = CARLA, idempotencyKey?: string) =>
  stack.client.forwardMessage({ id: 'main', messageId, to }, { idempotencyKey });
const copies = async (body: string) => (await stack.phones.messages(CARLA)).filter((one) => one.body === body);

describe('a message', () => {
  it('is forwarded to a person and to a group, and is marked as forwarded if another wrote it', async () => {
    const theirs = await received({ body: 'pass it on', mentions: [ADA] });
    for (const to of [`+${CARLA}`, group]) {
      const sent = await forward(theirs, to);
      expect(sent).toMatchObject({ type: 'text', body: 'pass it on', fromMe: true, isForwarded: true });
      expect(sent.to).toBe(to === group ? group : `${CARLA}@c.us`);
      expect(sent.id).not.toBe(theirs);
      expect(sent.ack).toBeGreaterThanOrEqual(1);
      expect(await stack.onPhone(CARLA, sent.id)).toMatchObject({ body: 'pass it on', isForwarded: true });
    }
    const mine = await forward(await send('my own words'));
    expect(mine.isForwarded).toBe(false);
    expect((await stack.onPhone(CARLA, mine.id)).isForwarded).toBeUndefined();
  });

  it('is forwarded with its file and its caption', async () => {
    const image = { kind: 'image', base64, mimeType: 'image/png' } as const;
    const sent = await forward(await received({ media: image, body: 'look' }));
    expect(sent).toMatchObject({ type: 'image', body: 'look', hasMedia: true });
    expect(await stack.onPhone(CARLA, sent.id)).toMatchObject({ type: 'image', body: 'look' });
    const { sha256, size } = await stack.phones.media(CARLA, stanzaOf(sent.id));
    expect({ sha256, size }).toMatchObject({ size: png?.bytes.length });
  });

  it('is forwarded to each recipient, also to one chat several times at once', async () => {
    const ids = await Promise.all(['one', 'two', 'three', 'four'].map((body) => received({ body: `the ${body}` })));
    const sent = await Promise.all(ids.map((id) => forward(id)));
    expect(sent.map(({ body }) => body)).toEqual(['the one', 'the two', 'the three', 'the four']);
    for (const { id, body } of sent) expect(await stack.onPhone(CARLA, id)).toMatchObject({ body });
    expect(new Set(sent.map(({ id }) => id)).size).toBe(4);
  });

  it('is forwarded once under a key, and found again after a crash', async () => {
    const id = await received({ body: 'once' });
    const first = await forward(id, CARLA, 'key-1');
    expect(await forward(id, CARLA, 'key-1')).toEqual(first);
    await stack.phones.configure({ ackDelayMs: 3_000 });
    const lost = forward(await received({ body: 'in a crash' }), CARLA, 'key-2').catch((error: unknown) => error);
    await stack.untilUnconfirmed('main', ADA);
    process.kill(browserAndWorkerIn(`${stack.dataDir}/sessions/main`).worker, 'SIGKILL');
    const error = (await lost) as { code: string; id: string };
    expect(error).toMatchObject({ code: 'outcome_unknown', id: expect.stringMatching(/^true_/) });
    await stack.phones.configure({ ackDelayMs: 20 });
    await stack.untilStatus('main', 'ready');
    const again = await forward(
      events.all('message').find(({ body }) => body === 'in a crash')?.id ?? '',
      CARLA,
      'key-2',
    );
    expect(again.id).toBe(error.id);
    await stack.settled();
    expect(await copies('once')).toHaveLength(1);
    expect(await copies('in a crash')).toHaveLength(1);
  });
});

describe('a message is not forwarded', () => {
  const refused = async (messageId: string, to?: string) =>
    forward(messageId, to).then(
      () => 'done',
      ({ code, issues }: { code: string; issues?: readonly { path: string }[] }) => issues?.[0]?.path ?? code,
    );

  it('that is unknown, deleted, or of a kind that cannot be forwarded', async () => {
    expect(await refused(`true_${BEN}@c.us_3EB0000000000000`)).toBe('message_not_found');
    const deleted = await send('regretted');
    await stack.client.deleteMessage({ id: 'main', messageId: deleted, forEveryone: true });
    expect(await refused(deleted)).toBe('message_not_found');
    const input = { id: 'main', type: 'image', to: BEN, base64, viewOnce: true } as const;
    const { id: once } = await stack.client.sendMessage(input);
    expect(await refused(once)).toBe('not_permitted');
    const options = ['today', 'later'];
    const poll = { id: 'main', type: 'poll', to: BEN, question: 'When?', options } as const;
    expect(await refused((await stack.client.sendMessage(poll)).id)).toBe('not_permitted');
    expect(await refused('no-id')).toBe('messageId');
  });

  it('whose file the network no longer has', async () => {
    const id = await received({ media: { kind: 'image', base64, mimeType: 'image/png' }, body: 'too late' });
    await stack.phones.dropMedia(stanzaOf(id));
    expect(await refused(id)).toBe('media_not_found');
  });

  it('to an unknown number, an unknown group, the status feed, or a blocked person', async () => {
    const id = await send('to whom?');
    expect(await refused(id, '12025550999')).toBe('recipient_not_found');
    expect(await refused(id, '120363999999999999@g.us')).toBe('chat_not_found');
    expect(await refused(id, 'status@broadcast')).toBe('to');
    await stack.phones.contacts(ADA, { block: [CARLA] });
    await expect.poll(() => refused(id)).toBe('not_permitted');
    const input = { id: 'main', type: 'text', to: CARLA, body: 'to nobody' } as const;
    await expect(sendText(stack.client, input)).rejects.toMatchObject({ code: 'not_permitted' });
    await stack.phones.contacts(ADA, { unblock: [CARLA] });
    await expect.poll(() => refused(id)).toBe('done');
  });

  it('where the network refuses it, which the page does not report', async () => {
    const id = await send('refused');
    await stack.phones.refuse(ADA, { kind: 'nack', code: 463 });
    expect(await refused(id)).toBe('rate_limited');
    await stack.phones.refuse(ADA, { kind: 'nack', code: 500 });
    expect(await refused(id)).toBe('not_permitted');
    await stack.phones.refuse(ADA, { kind: 'none' });
    expect(await copies('refused')).toEqual([]);
  });

  it('where the page cannot do it', async () => {
    const id = await send('stays');
    await stack.phones.configure({ missingModules: ['WAWebChatForwardMessage'] });
    await stack.client.restartSession({ id: 'main' });
    await stack.untilStatus('main', 'ready');
    expect(await refused(id)).toBe('page_unsupported');
  });
});
