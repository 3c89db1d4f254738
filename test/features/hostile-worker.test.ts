import { sendText } from '@chat-web/host';
import {
  ADA,
  BEN,
  eventually,
  figure,
  fixture,
  healthTimes,
  logLines,
  pace,
  peakMb,
  percentile,
  resetPeak,
  rounds,
  withRoom,
} from '@chat-web/testing';
import { type EventLog, Stack } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';

/** The most memory an attack may cost: the longest message, some copies of it, and other work meanwhile. */
const MAX_EXTRA_MB = 128;
/** On a host with other load. Each of these took seconds when lists were read before they were counted. */
const MAX_HEALTH_MS = 1_000;

/** How soon a flood is stopped depends on how fast this machine reads it: it is throttled from the start. */
const FLOOD_ENDS_WITHIN_MS = 100_000;

/** Attacks that end their worker, and why. */
const FATAL: readonly [attack: string, reason: string][] = [
  ['garbage', 'sent a message that is not JSON'],
  ['bytes', 'sent a message that is not JSON'],
  ['endless', 'sent a message of more than 16 MB'],
  ['nested', 'sent a message that is more than 16 levels deep'],
  ['values', 'sent a message of more than 400000 values'],
  ['lists', 'sent more messages than allowed'],
  ['drops', 'sent'], // Which limit it hits first depends on how many bytes arrive at once.
  ['acks', 'sent more messages than allowed'],
  ['states', 'sent more messages than allowed'],
  ['heartbeats', 'sent more messages than allowed'],
  ['nonsense', 'sent more messages than allowed'],
  ['logs', 'sent more messages than allowed'],
  ['unasked', 'sent more messages than allowed'],
  ['gone', 'closed its channel'],
];
/** Those that are killed on any machine. A busy one reads a flood so slowly that it stays within the limits. */
const FEW = new Set(['garbage', 'endless', 'gone']);

describe('a worker compromised by its page', () => {
  const stack = sharedStack({ main: fixture('worker-gateway.mjs') });
  let honest: EventLog;
  let gatewayPid: number;
  beforeAll(async () => {
    gatewayPid = stack.gateway.pid;
    await stack.link('ada', ADA);
    honest = await stack.listen('ada');
  });

  /** After each attack the other session sends and receives, has lost nothing, and the gateway is healthy. */
  afterEach(async ({ task }) => {
    const sent = await sendText(stack.client, { id: 'ada', type: 'text', to: BEN, body: task.name });
    expect((await stack.onPhone(BEN, sent.id)).body).toBe(task.name);
    await stack.phones.send(BEN, { to: ADA, body: `after ${task.name}` });
    await honest.until('message', ({ body }) => body === `after ${task.name}`);
    expect(honest.all('disconnected')).toEqual([]);
    expect(honest.ended).toBe(false);
    expect(stack.gateway.log.filter((line) => line.includes('worker message not handled'))).toEqual([]);
    expect((await fetch(`${stack.gateway.url}/health`)).status).toBe(200);
  });

  /** Starts such a session, triggers its attack, and measures the gateway's memory and response times meanwhile. */
  async function attacked<T>(attack: string, check: (id: string, events: EventLog) => Promise<T>): Promise<T> {
    const id = `evil-${attack}`;
    await stack.client.startSession({ id });
    const events = await stack.listen(id);
    const beforeMb = resetPeak(gatewayPid);
    const measuring = new AbortController();
    const waits = healthTimes(stack.gateway.url, measuring.signal);
    await stack.client.listChats({ id }).catch(() => {});
    try {
      return await check(id, events);
    } finally {
      measuring.abort();
      const moreMb = peakMb(gatewayPid) - beforeMb;
      const ms = Math.round(percentile(await waits, 0.99));
      figure('hostile worker', `${attack}: gateway +${Math.round(moreMb)} MB, /health p99 ${ms} ms`);
      await stack.client.deleteSession({ id }).catch(() => {});
      events.close();
      expect(moreMb).toBeLessThan(MAX_EXTRA_MB);
      expect(ms).toBeLessThan(withRoom(MAX_HEALTH_MS));
    }
  }

  it.each(rounds({ few: FATAL.filter(([attack]) => FEW.has(attack)), all: FATAL }))(
    'is killed, and no other worker: %s',
    (attack, what) =>
      attacked(attack, async (id, events) => {
        await eventually(() => {
          const ends = logLines(stack.gateway.log).filter(
            ({ session, reason }) => session === id && reason === 'WORKER_PROTOCOL_ERROR',
          ) as { detail?: string }[];
          expect(ends.map(({ detail }) => detail)).toContainEqual(expect.stringContaining(what));
        }, FLOOD_ENDS_WITHIN_MS);
        // A flood of states may have emitted `disconnected` already.
        if (attack === 'states') return;
        const { message } = await events.until('disconnected', ({ reason }) => reason === 'WORKER_PROTOCOL_ERROR');
        expect(message).toContain(`it ${what}`);
      }),
  );

  it.each(['node', 'numbers', 'output', 'lines'])('is ignored: %s', (attack) =>
    attacked(attack, async (id) => {
      await pace(3_000); // Two of these are floods, which continue.
      await stack.client.listChats({ id }); // Behind everything that the others sent.
      expect(await stack.client.getSessionStatus({ id })).toMatchObject({ status: 'ready', restarts: 0 });
    }),
  );

  // For a while: on a busy host the worker is read so slowly that it stays within its budget.
  it('does not delay others: faults', () => attacked('faults', () => pace(5_000)));

  it('cannot write anything but events into a stream: frames', () =>
    attacked('frames', async (id, events) => {
      await events.until('message', ({ body }) => body === 'honest');
      expect(events.events.map(({ name }) => name)).toEqual(['message']);
      const invalid = () =>
        logLines(stack.gateway.log).filter(({ session, msg }) => session === id && msg === 'invalid IPC message');
      await eventually(() => expect(invalid()).toHaveLength(5)); // The log arrives through its own pipe.
    }));

  it('fails the calls that get an invalid response', () =>
    attacked('answers', async (id) => {
      await expect(stack.client.listContacts({ id })).rejects.toMatchObject({ code: 'client_failed' });
      await expect(stack.client.listGroups({ id })).rejects.toMatchObject({ code: 'client_failed' });
      const text = { id, type: 'text', to: ADA, body: 'hello' } as const;
      await expect(stack.client.sendMessage(text)).rejects.toMatchObject({ code: 'outcome_unknown' });
    }));

  it('that does not read has calls queued up to a limit', () =>
    attacked('deaf', async (id) => {
      const codes: string[] = [];
      const body = '😀'.repeat(32_000);
      for (let call = 0; call < 120; call += 1) {
        const sent = stack.client.sendMessage({ id, type: 'text', to: ADA, body });
        sent.catch(({ code }: { code: string }) => codes.push(code));
      }
      await eventually(() => expect(codes).toContain('rate_limited'));
      expect(codes.filter((code) => code !== 'rate_limited')).toEqual([]);
      expect(codes.length).toBeLessThan(110);
    }));

  it('can hand over only regular files of its own', () =>
    attacked('media', async (id) => {
      const mediaOf = async (kind: string) => {
        const response = await fetch(`${stack.gateway.url}/sessions/${id}/messages/false_1@c.us_${kind}/media`);
        const text = await response.text();
        return { status: response.status, code: response.ok ? text : (JSON.parse(text) as { code: string }).code };
      };
      expect(await mediaOf('honest')).toEqual({ status: 200, code: 'public' });
      // Enough pipes to block all threads of Node, twice.
      const kinds = [
        'link',
        'device',
        'second',
        'folder',
        'path',
        'absolute',
        'other',
        'header',
        'name',
        'size',
        'short',
      ];
      for (const kind of [...Array<string>(8).fill('pipe'), ...kinds]) {
        expect(await mediaOf(kind), kind).toEqual({ status: 500, code: 'client_failed' });
      }
      expect(await mediaOf('honest')).toEqual({ status: 200, code: 'public' });
    }));

  it('cannot block the gateway with pipes in place of the files of its session', () =>
    attacked('files', async (id) => {
      for (let start = 0; start < 6; start += 1) {
        await stack.client.restartSession({ id });
        await stack.untilStatus(id, 'ready');
        await stack.client.listChats({ id });
      }
    }));
});

it('a QR that is scanned before earlier events are on disk is not shown', async () => {
  await using stack = await Stack.start({
    main: fixture('worker-gateway.mjs'),
    // A busy host reads the worker with pauses: the disk has to be slower than that.
    settings: { NODE_OPTIONS: `--import ${fixture('slow-disk.mjs')}` },
  });
  const ends = new AbortController();
  const { body } = await fetch(`${stack.gateway.url}/events`, { signal: ends.signal });
  await stack.client.startSession({ id: 'evil-scan' });
  let text = '';
  for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes('"reason":"STOPPED"')) break;
    if (text.includes('event: ready')) void stack.client.stopSession({ id: 'evil-scan' });
  }
  ends.abort();
  expect([...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name)).toEqual([
    'message_ack',
    'ready',
    'disconnected',
  ]);
});

it('a flood of events leaves the events of other sessions in the journal, over restarts of its worker', async () => {
  await using stack = await Stack.start({
    main: fixture('worker-gateway.mjs'),
    settings: { CHAT_WEB_JOURNAL_MAX_MB: '32' },
  });
  await stack.link('ada', ADA);
  await stack.phones.send(BEN, { to: ADA, body: 'before' });
  const honest = await stack.listen('ada');
  const id = 'evil-journal';
  await stack.client.startSession({ id });
  await stack.client.listChats({ id }).catch(() => {});
  // A restart does not grant another share.
  await eventually(() => {
    const ends = logLines(stack.gateway.log).filter(
      ({ session, msg }) => session === id && msg === 'session restarting',
    ) as { reason?: string; detail?: string }[];
    expect(ends.length).toBeGreaterThanOrEqual(3);
    for (const { reason, detail } of ends)
      expect([reason, detail]).toEqual([
        'WORKER_PROTOCOL_ERROR',
        expect.stringContaining('exceeded its share of the journal'),
      ]);
  }, FLOOD_ENDS_WITHIN_MS);
  await stack.phones.send(BEN, { to: ADA, body: 'after' });
  await honest.until('message', ({ body }) => body === 'after');
  const headers = { Accept: 'application/json' };
  const page = await fetch(`${stack.gateway.url}/sessions/ada/events?after=oldest`, { headers });
  const { events } = (await page.json()) as { events: { event: string; data: { body?: string } }[] };
  expect(events.map(({ event, data }) => data.body ?? event)).toEqual(['ready', 'before', 'after']);
});

it('the answers to a key leave the events of other sessions in the journal', async () => {
  await using stack = await Stack.start({
    main: fixture('worker-gateway.mjs'),
    settings: { CHAT_WEB_JOURNAL_MAX_MB: '32', CHAT_WEB_TOKEN: 'the-operator' },
  });
  await stack.link('ada', ADA);
  await stack.phones.send(BEN, { to: ADA, body: 'before' });
  await (await stack.listen('ada')).until('message', ({ body }) => body === 'before');
  const longest = '€'.repeat(65_000);
  /** Sends long texts, each with an Idempotency-Key; returns how many were sent. */
  const send = async (id: string, token: string, count: number) => {
    let sent = 0;
    await stack.client.startSession({ id });
    await stack.untilStatus(id, 'ready');
    for (let n = 0; n < count; n += 1) {
      const answer = await fetch(`${stack.gateway.url}/sessions/${id}/messages`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': `${n}` },
        body: JSON.stringify({ type: 'text', to: BEN, body: longest }),
      });
      await answer.arrayBuffer();
      sent += answer.ok ? 1 : 0;
    }
    return sent;
  };
  const stored = async () => {
    const headers = { Accept: 'application/json', Authorization: 'Bearer the-operator' };
    const page = await fetch(`${stack.gateway.url}/sessions/ada/events?after=oldest`, { headers });
    const { events } = (await page.json()) as { events: { event: string; data: { body?: string } }[] };
    return events.map(({ event, data }) => data.body ?? event);
  };
  const { key } = await stack.client.createKey({ name: 'sender', scope: 'send', sessions: ['evil-echo'] });
  expect(await send('evil-echo', key, 222)).toBe(222);
  expect(await stored()).toEqual(['ready', 'before']);
  // The control: the operator, who is trusted with all sessions, fills the journal with a dozen.
  for (let n = 0; n < 12; n += 1) await send(`evil-echo-${n}`, 'the-operator', 25);
  await eventually(async () => expect(await stored()).not.toContain('before'));
});
