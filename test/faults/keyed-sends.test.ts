import type { Message } from '@chat-web/protocol';
import { ADA, BEN, browserAndWorkerIn, CARLA, eventually, media } from '@chat-web/testing';
import { stanzaOf } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const [{ bytes: PNG }] = media;
const GIF = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

const stack = sharedStack();
beforeAll(() => stack.link('ada', ADA));

async function post(path: string, key: string, body: object) {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
  const asked = await fetch(`${stack.address.url}/sessions/ada${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const answer = (await asked.json()) as Message & { code?: string };
  const { status } = asked;
  const isReplayed = asked.headers.get('Idempotent-Replayed');
  return { status, isReplayed, answer, code: answer.code, retryAfter: asked.headers.get('Retry-After') };
}

const text = (body: string) => ({ type: 'text', to: BEN, body });
const copies = async (body: string) => (await stack.phones.messages(BEN)).filter((one) => one.body === body);

describe('a send with an Idempotency-Key', () => {
  it('is carried out once; a repeated request gets the same response, marked as a replay', async () => {
    const events = await stack.listen('ada');
    const first = await post('/messages', 'key-1', text('once'));
    const second = await post('/messages', 'key-1', text('once'));
    expect(first).toMatchObject({ status: 200, isReplayed: null });
    expect(second).toEqual({ ...first, isReplayed: 'true' });
    expect(await post('/messages', 'key-2', text('other'))).toMatchObject({ status: 200, isReplayed: null });
    await eventually(async () => expect(await copies('once')).toHaveLength(1));
    expect((await copies('once')).map(({ id }) => id)).toEqual([stanzaOf(first.answer.id)]);
    await eventually(() => expect(events.all('message_ack')).toContainEqual({ id: first.answer.id, ack: 2 }));
  });

  it('is 422 for another request with the same key, and sends nothing', async () => {
    await post('/messages', 'key-3', text('the first'));
    expect(await post('/messages', 'key-3', text('the second'))).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    });
    const post3 = await post('/status', 'key-3', { type: 'text', body: 'the first' });
    expect(post3).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    expect(await copies('the second')).toEqual([]);
  });

  it('compares media by their bytes, in any order of the fields', async () => {
    const image = { type: 'image', to: BEN, base64: Buffer.from(PNG).toString('base64'), caption: 'a dot' };
    const first = await post('/messages', 'key-4', image);
    const [reordered, other] = [Object.fromEntries(Object.entries(image).reverse()), { ...image, base64: GIF }];
    expect(await post('/messages', 'key-4', reordered)).toEqual({ ...first, isReplayed: 'true' });
    expect(await post('/messages', 'key-4', other)).toMatchObject({ status: 422 });
    const status = { type: 'image', base64: Buffer.from(PNG).toString('base64') };
    const posted = await post('/status', 'key-5', status);
    expect(posted).toMatchObject({ status: 200, isReplayed: null });
    expect(await post('/status', 'key-5', status)).toEqual({ ...posted, isReplayed: 'true' });
    const shown = async () => (await stack.phones.statuses(ADA)).map(({ id }) => id);
    await eventually(async () => expect(await shown()).toEqual([stanzaOf(posted.answer.id)]));
  });

  it('is 400 with an invalid key, and the error names the header', async () => {
    for (const key of ['é', 'x'.repeat(256), '']) {
      const refused = await post('/messages', key, text('never'));
      expect(refused).toMatchObject({ status: 400, answer: { issues: [{ path: 'Idempotency-Key' }] } });
    }
    expect(await copies('never')).toEqual([]);
  });

  it('is carried out anew after a refusal', async () => {
    const to = '12025550988';
    const body = { type: 'text', to, body: 'welcome' };
    expect(await post('/messages', 'key-6', body)).toMatchObject({ status: 404, code: 'recipient_not_found' });
    await stack.phones.addAccount({ number: to, name: 'New' });
    expect(await post('/messages', 'key-6', body)).toMatchObject({ status: 200, isReplayed: null });
  });

  it('creates one group, and returns it again', async () => {
    const body = { subject: 'Readers', participants: [BEN] };
    const first = await post('/groups', 'key-7', body);
    expect(first).toMatchObject({ status: 200 });
    expect(await post('/groups', 'key-7', body)).toEqual({ ...first, isReplayed: 'true' });
    expect(await stack.client.listGroups({ id: 'ada' })).toHaveLength(1);
    const group = first.answer as unknown as string;
    const sent = await post('/messages', 'key-8', { type: 'text', to: group, body: 'to all' });
    expect(sent).toMatchObject({ status: 200 });
    await eventually(async () => expect(await copies('to all')).toHaveLength(1));
  });

  it('is answered by another gateway on the same data', async () => {
    const first = await post('/messages', 'key-9', text('before the end'));
    process.kill(stack.gateway.pid, 'SIGKILL');
    await stack.gateway.exited;
    await stack.restartGateway();
    // Also before the session is ready.
    expect(await post('/messages', 'key-9', text('before the end'))).toEqual({ ...first, isReplayed: 'true' });
    await stack.untilStatus('ada', 'ready');
    expect(await copies('before the end')).toHaveLength(1);
  });
});

describe('a send whose response was lost', () => {
  it('is 409 while in progress, unknown when its worker dies, and found once the session is back', async () => {
    await stack.phones.configure({ ackDelayMs: 10_000 });
    const first = post('/messages', 'key-20', text('to be found'));
    await stack.untilUnconfirmed('ada', ADA);
    const early = await post('/messages', 'key-20', text('to be found'));
    expect(early).toMatchObject({ status: 409, code: 'idempotency_in_progress', retryAfter: '1' });
    process.kill(browserAndWorkerIn(`${stack.dataDir}/sessions/ada`).worker, 'SIGKILL');
    const lost = await first;
    expect(lost).toMatchObject({
      status: 500,
      code: 'outcome_unknown',
      answer: { id: expect.stringMatching(/^true_/) },
    });
    expect(await post('/messages', 'key-20', text('to be found'))).toMatchObject({
      status: 500,
      code: 'outcome_unknown',
      answer: { id: lost.answer.id },
    });
    await stack.phones.configure({ ackDelayMs: 20 });
    await stack.untilStatus('ada', 'ready');
    await eventually(async () => expect(await copies('to be found')).toHaveLength(1));
    await stack.settled();
    const found = await post('/messages', 'key-20', text('to be found'));
    expect(found).toMatchObject({ status: 200, isReplayed: null, answer: { id: lost.answer.id } });
    expect(await post('/messages', 'key-20', text('to be found'))).toMatchObject({ status: 200, isReplayed: 'true' });
    await stack.settled();
    expect(await copies('to be found')).toHaveLength(1);
  });

  it('is sent on a retry if the page never had it, to a person, a hidden number and a group', async () => {
    const group = await stack.client.createGroup({ id: 'ada', subject: 'Writers', participants: [BEN, CARLA] });
    const sends = [BEN, CARLA, group, ADA].map((to, n) => [`key-3${n}`, { ...text(`late ${n}`), to }] as const);
    await stack.disturb(ADA, 'block', { ms: 5_000 });
    const asked = sends.map(([key, body]) => post('/messages', key, body));
    await eventually(async () => {
      const metrics = await fetch(`${stack.address.url}/metrics`);
      expect(await metrics.text()).toMatch(/^chat_web_calls_pending [4-9]$/m);
    });
    process.kill(browserAndWorkerIn(`${stack.dataDir}/sessions/ada`).worker, 'SIGKILL');
    for (const lost of await Promise.all(asked)) expect(lost).toMatchObject({ status: 500, code: 'outcome_unknown' });
    await stack.untilStatus('ada', 'ready');
    for (const [key, body] of sends) expect(await post('/messages', key, body)).toMatchObject({ status: 200 });
    await eventually(async () => expect(await copies('late 0')).toHaveLength(1));
    await eventually(async () => expect(await copies('late 2')).toHaveLength(1));
  });

  it('is not repeated where its id cannot be chosen: the outcome stays unknown', async () => {
    await stack.phones.configure({ ackDelayMs: 3_000 });
    const asked = post('/status', 'key-21', { type: 'text', body: 'good morning' });
    await stack.untilUnconfirmed('ada', ADA);
    process.kill(browserAndWorkerIn(`${stack.dataDir}/sessions/ada`).worker, 'SIGKILL');
    expect(await asked).toMatchObject({ status: 500, code: 'outcome_unknown' });
    await stack.phones.configure({ ackDelayMs: 20 });
    await stack.untilStatus('ada', 'ready');
    const again = await post('/status', 'key-21', { type: 'text', body: 'good morning' });
    expect(again).toMatchObject({ status: 500, code: 'outcome_unknown' });
    expect((await stack.phones.statuses(ADA)).filter(({ body }) => body === 'good morning').length).toBeLessThan(2);
  });
});
