import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { deferred, type EventName } from '@chat-web/protocol';
import { eventually, pace, takes } from '@chat-web/testing';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { filePosition } from '../node/file-position.ts';
import { type Answer, EventServer, frameOf, messageOf } from '../testing/event-server.ts';
import type { Disconnect } from './connection.ts';
import type { ListenedEvent } from './events.ts';
import { listen } from './listen.ts';
import { Listener, type ListenerTiming, type ListenOptions } from './listener.ts';
import { memoryPosition, type PositionStore } from './position-store.ts';

const TIMING: ListenerTiming = {
  reconnect: { firstMs: 5, maxMs: 40 },
  answerMs: 10_000,
  silenceMs: 10_000,
  goodAfterMs: 10_000,
  retry: { firstMs: 5, maxMs: 40 },
};

let server: EventServer;
let listeners: Listener<EventName>[];
beforeEach(async () => {
  server = await EventServer.start();
  listeners = [];
});
afterEach(async () => {
  await Promise.all(listeners.map((listener) => listener.stop()));
  await server[Symbol.asyncDispose]();
});

function create<N extends EventName = EventName>(options: ListenOptions<N> = {}, timing: Partial<ListenerTiming> = {}) {
  const listener = new Listener<N>(
    { url: server.url, token: 'secret' },
    { from: 'oldest', ...options },
    { ...TIMING, ...timing },
  );
  listeners.push(listener as unknown as Listener<EventName>);
  return listener;
}

function recorded(first?: string) {
  const saved: string[] = [];
  const store: PositionStore = {
    load: async () => saved.at(-1) ?? first,
    save: async (id) => {
      saved.push(id);
    },
  };
  return { saved, store };
}

const bodyOf = (event: ListenedEvent) => (event.name === 'message' ? event.data.body : event.name);

function collect(options: ListenOptions = {}, timing: Partial<ListenerTiming> = {}) {
  const bodies: string[] = [];
  const disconnects: Disconnect[] = [];
  const listener = create({ onDisconnect: (one) => disconnects.push(one), ...options }, timing);
  const running = listener.run({ any: (event) => bodies.push(bodyOf(event)) });
  running.catch(() => {});
  return { bodies, disconnects, listener, running };
}

describe('iterated, a listener', () => {
  it('yields events of all sessions, typed by their names, with session and time', async () => {
    server.message('one');
    server.emit('ready', { pushname: 'Ada', wid: '1@c.us', phone: '1' }, 'shop');
    server.show('qr', 'data:image/png;base64,iVBORw0KGgo=');
    const seen: unknown[] = [];
    for await (const event of create()) {
      if (event.name === 'message') expectTypeOf(event.data.body).toBeString();
      expectTypeOf(event).toEqualTypeOf<ListenedEvent>();
      seen.push([event.id, event.session, event.at, event.name]);
      if (seen.length === 2) break;
    }
    const at = '2026-01-01T00:00:00.000Z';
    expect(seen).toEqual([
      ['e1-1', 'main', at, 'message'],
      ['e1-2', 'shop', at, 'ready'],
    ]);
    expect(server.requests).toMatchObject([{ url: '/events', after: 'oldest', authorization: 'Bearer secret' }]);
    await eventually(() => expect(server.open).toBe(0));
  });

  it('acknowledges an event when the next is requested, but not on break, return or an error', async () => {
    for (const body of ['a', 'b', 'c', 'd']) server.message(body);
    const { saved, store } = recorded();
    const seen: string[] = [];
    const from = async (end: (body: string) => boolean) => {
      for await (const event of create({ position: store })) {
        seen.push(bodyOf(event));
        if (end(bodyOf(event))) break;
      }
    };
    await from((body) => body === 'b');
    expect(saved.at(-1)).toBe('e1-1');
    const failed = from(() => {
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(saved.at(-1)).toBe('e1-1');
    const third = create({ position: store });
    for await (const event of third) {
      seen.push(bodyOf(event));
      if (bodyOf(event) === 'c') void third.stop(); // It is acknowledged when the loop requests the next.
    }
    expect(saved.at(-1)).toBe('e1-3');
    expect(seen).toEqual(['a', 'b', 'b', 'b', 'c']);
  });

  it('ends quietly when it is stopped or its signal aborts, whatever it waits for', async () => {
    const over = new AbortController();
    const listener = create({ signal: over.signal });
    setTimeout(() => over.abort(), 100);
    for await (const _ of listener) expect.unreachable();
    const load = () => new Promise<never>(() => {});
    const never = create({ position: { ...recorded().store, load }, stopTimeoutMs: 300 });
    setTimeout(() => void never.stop(), 50);
    for await (const _ of never) expect.unreachable();
    expect(getEventListeners(over.signal, 'abort')).toHaveLength(0);
  });

  it('leaves no unhandled rejection when it is stopped while the last event is handled', async () => {
    const rejections: unknown[] = [];
    const keep = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', keep);
    server.message('one');
    const listener = create();
    for await (const event of listener) {
      expect(bodyOf(event)).toBe('one');
      void listener.stop();
      await takes(50);
    }
    await new Promise(setImmediate);
    process.off('unhandledRejection', keep);
    expect(rejections).toEqual([]);
    expect(listener.position).toBe('e1-1');
  });

  it('is used once', async () => {
    const listener = create();
    void listener.run({ message: () => {} });
    await expect(listener[Symbol.asyncIterator]().next()).rejects.toThrow('once');
    await expect(listener.run({ message: () => {} })).rejects.toThrow('once');
  });

  it('leaves no listener on a signal that outlives it', async () => {
    const over = new AbortController();
    for (let round = 0; round < 30; round += 1) await create({ signal: over.signal }).stop();
    expect(getEventListeners(over.signal, 'abort')).toHaveLength(0);
  });
});

describe('of one session', () => {
  it('follows its own stream, with the QR, which has no id', async () => {
    const seen: unknown[] = [];
    const listener = create({ sessions: 'main', events: ['qr', 'message'] });
    const running = (async () => {
      for await (const event of listener) {
        expectTypeOf(event.name).toEqualTypeOf<'qr' | 'message' | 'gap'>();
        seen.push([event.id, event.session, event.at, event.name]);
      }
    })();
    await eventually(() => expect(server.open).toBe(1));
    server.show('qr', 'data:image/png;base64,iVBORw0KGgo=');
    server.message('one');
    await eventually(() =>
      expect(seen).toEqual([
        [undefined, 'main', undefined, 'qr'],
        ['e1-1', 'main', undefined, 'message'],
      ]),
    );
    await listener.stop();
    await running;
    expect(server.requests[0]?.url).toBe('/sessions/main/events?events=qr,message');
  });

  it('continues after a proxy has responded for an unavailable gateway', async () => {
    for (const status of [403, 404])
      server.answers.push((response) => response.writeHead(status, { 'Content-Type': 'text/html' }).end('<html>'));
    const { bodies } = collect({ sessions: 'main' });
    await eventually(() => expect(server.open).toBe(1));
    server.message('there');
    await eventually(() => expect(bodies).toEqual(['there']));
  });

  it.each(['..', '.', ''])(
    'with the id %j sends no request, which would return the events of all sessions',
    async (sessions) => {
      const ended = create({ sessions }).run({ message: () => {} });
      await expect(ended).rejects.toMatchObject({ code: 'invalid_request', status: undefined });
      expect(server.requests).toEqual([]);
    },
  );

  it('ends with session_not_found, or waits for the session if configured', async () => {
    const missing: Answer = (response) => {
      response.writeHead(404, { 'Content-Type': 'application/json' });
      response.end('{"error":"there is no session main","code":"session_not_found"}');
    };
    server.answers.push(missing);
    await expect(create({ sessions: 'main' }).run({ message: () => {} })).rejects.toMatchObject({
      code: 'session_not_found',
    });
    server.answers.push(missing, missing);
    const { bodies } = collect({ sessions: 'main', waitForSession: true });
    await eventually(() => expect(server.open).toBe(1));
    server.message('there');
    await eventually(() => expect(bodies).toEqual(['there']));
  });
});

describe('run with handlers, a listener', () => {
  it('requests the events that have a handler, calls the handler of each, and skips unknown ones', async () => {
    const seen: string[] = [];
    const listener = create({ sessions: ['main', 'shop'], chats: ['person', 'group'], author: 'others' });
    const running = listener.run({
      message: ({ data, session }) => {
        expectTypeOf(data.body).toBeString();
        seen.push(`${session}: ${data.body}`);
      },
      message_ack: ({ data }) => seen.push(`ack ${data.ack}`),
    });
    await eventually(() => expect(server.open).toBe(1));
    server.message('one');
    server.emit('message_ack', { id: 'true_1@c.us_A', ack: 2 });
    server.emit('of_a_newer_gateway', { any: 'thing' });
    server.emit('disconnected', { reason: 'LOGOUT', message: '' });
    const last = server.message('two', 'shop');
    await eventually(() => expect(listener.position).toBe(last));
    expect(seen).toEqual(['main: one', 'ack 2', 'shop: two']);
    await listener.stop();
    await running;
    expect(server.requests[0]?.url).toBe(
      '/events?events=message,message_ack&chats=person,group&from=others&sessions=main,shop',
    );
    await expect(create().run({})).rejects.toThrow('run needs a handler');
  });

  it('requests statuses if they have a handler, whatever else it requests', async () => {
    const seen: unknown[] = [];
    const listener = create();
    const running = listener.run({
      any: ({ name }) => seen.push(name),
      status: ({ data }) => {
        expectTypeOf(data.restarts).toBeNumber();
        seen.push(data.nextAttemptAt);
      },
    });
    await eventually(() => expect(server.open).toBe(1));
    server.message('one');
    const nextAttemptAt = '2026-01-01T00:00:00.000Z';
    server.emit('status', { status: 'starting', reason: 'START_TIMEOUT', message: 'm', restarts: 1, nextAttemptAt });
    await eventually(() => expect(seen).toEqual(['message', nextAttemptAt]));
    await listener.stop();
    await running;
    const names = new URL(server.requests[0]?.url ?? '', server.url).searchParams.get('events')?.split(',');
    expect(names).toEqual(expect.arrayContaining(['message', 'ready', 'gap', 'status']));
  });

  it('keeps the order of each session, and does not exceed its concurrency', async () => {
    let [running, max] = [0, 0];
    const seen = new Map<string, number[]>();
    for (let n = 0; n < 300; n += 1) server.message(`${n}`, `s${n % 6}`);
    const listener = create({ concurrency: 3, maxEventsInHand: 20 });
    const ended = listener.run({
      message: async ({ session, data }) => {
        max = Math.max(max, ++running);
        await takes(Math.random() * 4);
        running -= 1;
        seen.set(session, [...(seen.get(session) ?? []), Number(data.body)]);
      },
    });
    await eventually(() => expect(listener.position).toBe('e1-300'));
    for (const numbers of seen.values()) {
      expect(numbers).toHaveLength(50);
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    }
    expect(max).toBe(3);
    await listener.stop();
    await ended;
  });

  it('retries a failing handler; its session waits, others continue, and the position stays before it', async () => {
    const failures: unknown[] = [];
    const seen: string[] = [];
    const { saved, store } = recorded();
    server.message('bad');
    server.message('next');
    for (let n = 0; n < 5; n += 1) server.message(`${n}`, 'shop');
    let isWell = false;
    const listener = create({
      position: store,
      onError: (error, event, attempt) => failures.push([(error as Error).message, event?.id, attempt]),
      concurrency: 1,
    });
    void listener.run({
      message: ({ data }) => {
        if (data.body === 'bad' && !isWell) throw new Error('not yet');
        seen.push(data.body);
      },
    });
    await eventually(() => expect(failures.length).toBeGreaterThan(3));
    expect(seen).toEqual(['0', '1', '2', '3', '4']);
    expect(failures.slice(0, 2)).toEqual([
      ['not yet', 'e1-1', 1],
      ['not yet', 'e1-1', 2],
    ]);
    expect(saved.filter((id) => id !== 'oldest')).toEqual([]);
    isWell = true;
    await eventually(() => expect(saved.at(-1)).toBe('e1-7'));
    expect(seen.slice(5)).toEqual(['bad', 'next']);
  });

  it('skips an event if onError says so, and ends with an error of onError', async () => {
    server.message('bad');
    server.message('good');
    const { bodies, listener } = (() => {
      const bodies: string[] = [];
      const listener = create({ onError: async (_, __, attempt) => (attempt === 3 ? 'skip' : undefined) });
      void listener.run({
        message: ({ data }) => {
          if (data.body === 'bad') throw new Error('never');
          bodies.push(data.body);
        },
      });
      return { bodies, listener };
    })();
    await eventually(() => expect(listener.position).toBe('e1-2'));
    expect(bodies).toEqual(['good']);
    const { saved, store } = recorded();
    const ended = create({
      position: store,
      onError: () => {
        throw new Error('enough');
      },
    }).run({
      message: () => Promise.reject(new Error('never')),
    });
    await expect(ended).rejects.toThrow('enough');
    expect(saved.filter((id) => id !== 'oldest')).toEqual([]);
  });

  it.each([
    ['gap', { reason: 'damaged', from: 'e1-1', to: 'e1-2' }],
    ['message', 'not a message'],
  ])('does not move past a %s that it could not report', async (name, data) => {
    const { saved, store } = recorded();
    server.stored.push({ id: 'e1-2', session: undefined, name, data });
    const onError = () => Promise.reject(new Error('nowhere to write it'));
    const running = create({ position: store, onError }).run({ message: () => {} });
    await expect(running).rejects.toThrow('nowhere to write it');
    expect(saved).toEqual([]);
  });

  it('delivers a gap, or reports it if it has no handler', async () => {
    server.message('kept');
    const { bodies } = collect({ from: 'other-7' });
    await eventually(() => expect(bodies).toEqual(['gap', 'kept']));
    const errors: unknown[] = [];
    const seen: string[] = [];
    void create({ from: 'other-7', onError: (...args) => errors.push(args) }).run({
      message: ({ data }) => seen.push(data.body),
    });
    await eventually(() => expect(seen).toEqual(['kept']));
    expect(errors).toMatchObject([
      [{ message: 'events are missing (unknown_position)' }, { name: 'gap', session: undefined }, undefined],
    ]);
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const listener = create({ from: 'other-7' });
    void listener.run({ message: () => {} });
    await eventually(() => expect(listener.position).toBe('e1-1'));
    expect(warned.mock.calls).toEqual([[expect.stringContaining('events are missing (unknown_position) (gap')]]);
    warned.mockRestore();
  });

  it('handles a gap of all sessions after earlier events, and before later ones', async () => {
    const order: string[] = [];
    server.message('slow');
    const data = { reason: 'damaged', from: 'e1-1', to: 'e1-2' };
    server.stored.push({ id: 'e1-2', session: undefined, name: 'gap', data });
    server.message('after', 'shop');
    const listener = create();
    void listener.run({
      any: async (event) => {
        await takes({ slow: 200, gap: 50 }[bodyOf(event)] ?? 0);
        order.push(bodyOf(event));
      },
    });
    await eventually(() => expect(order).toEqual(['slow', 'gap', 'after']));
  });

  it('stops with work in progress: waits for running handlers, but not for those that have not started', async () => {
    const { saved, store } = recorded();
    const done: string[] = [];
    let started = 0;
    for (const body of ['a', 'b', 'c']) server.message(body);
    const listener = create({ position: store });
    const running = listener.run({
      message: async ({ data }) => {
        started += 1;
        await takes(300);
        done.push(data.body);
      },
    });
    await eventually(() => expect(started).toBe(1));
    await listener.stop();
    await running;
    expect(done).toEqual(['a']);
    expect(saved.at(-1)).toBe('e1-1');
  });

  it('leaves no timer and no connection behind: the process exits', async () => {
    server.message('one');
    server.message('bad', 'shop');
    const built = new URL('../../dist/index.js', import.meta.url).href;
    const code = `import { listen } from ${JSON.stringify(built)};
      const listener = listen({ url: ${JSON.stringify(server.url)} }, { from: 'oldest', onError: () => {} });
      const running = listener.run({ message: ({ data }) => {
        if (data.body === 'bad') throw new Error('bad');
        setTimeout(() => listener.stop(), 100);
      } });
      await running;
      process.stdout.write(['stopped', ...process.getActiveResourcesInfo().filter((name) => name === 'Timeout')].join(' '));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect({ output, exitCode }).toEqual({ output: 'stopped', exitCode: 0 });
  });

  it('causes no Node warning while many sessions wait', async () => {
    const warnings: Error[] = [];
    const keep = (warning: Error) => warnings.push(warning);
    process.on('warning', keep);
    for (let n = 0; n < 60; n += 1) server.message('bad', `s${n}`);
    let failures = 0;
    const onError = () => {
      failures += 1;
    };
    const listener = create({ onError }, { retry: { firstMs: 500, maxMs: 500 } });
    const running = listener.run({ message: () => Promise.reject(new Error('no')) });
    await eventually(() => expect(failures).toBe(60));
    await listener.stop();
    await running;
    process.off('warning', keep);
    expect(warnings).toEqual([]);
  });

  it('stops within its time limit even if a handler or the store never settles', async () => {
    server.message('stuck');
    const stuck = create({ stopTimeoutMs: 100 });
    let isStuck = false;
    const running = stuck.run({
      message: () => {
        isStuck = true;
        return new Promise(() => {});
      },
    });
    await eventually(() => expect(isStuck).toBe(true));
    await stuck.stop();
    await running;
    const store = { ...recorded().store, save: () => new Promise<void>(() => {}) };
    const unsaved = collect({ position: store, stopTimeoutMs: 100 });
    await eventually(() => expect(unsaved.bodies).toEqual(['stuck']));
    await unsaved.listener.stop();
    await unsaved.running;
  });

  it('starts nothing after it was stopped, also while a handler waits for its retry', async () => {
    server.message('bad');
    let calls = 0;
    const listener = create({ onError: () => {} }, { retry: { firstMs: 5_000, maxMs: 5_000 } });
    const running = listener.run({
      message: () => {
        calls += 1;
        throw new Error('no');
      },
    });
    await eventually(() => expect(calls).toBe(1));
    const startedAt = performance.now();
    await listener.stop();
    await running;
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    await new Promise(setImmediate);
    expect(calls).toBe(1);
  });

  it('stops reading while too many events are being handled', async () => {
    const body = 'x'.repeat(50_000);
    for (let n = 0; n < 400; n += 1) server.message(`${n} ${body}`);
    let [open, isOpen] = [0, false];
    const gate = new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (!isOpen) return;
        clearInterval(timer);
        resolve();
      }, 20);
    });
    const seen: number[] = [];
    void create({ maxEventsInHand: 10, concurrency: 100 }).run({
      message: async ({ data }) => {
        open += 1;
        await gate;
        seen.push(Number.parseInt(data.body, 10));
      },
    });
    await eventually(() => expect(open).toBe(1)); // A busy machine takes longer than the wait for what must not follow.
    // Events that were read too early would arrive by then.
    await pace(500);
    expect(open).toBe(1);
    expect(server.unsent).toBeGreaterThan(10_000_000);
    isOpen = true;
    await eventually(() => expect(seen).toHaveLength(400));
    expect(seen).toEqual([...Array(400).keys()]);
  });
});

describe('its connection', () => {
  it('resumes after any disconnect, from the last received event, and delivers none twice', async () => {
    const { bodies, disconnects } = collect();
    await eventually(() => expect(server.open).toBe(1));
    for (let n = 0; n < 20; n += 1) {
      server.message(`${n}`);
      await eventually(() => expect(bodies).toHaveLength(n + 1));
      server.cut();
      await eventually(() => expect(server.open).toBe(1));
    }
    expect(bodies).toEqual([...Array(20).keys()].map(String));
    expect(server.requests.slice(1).map(({ after }) => after)).toEqual(server.stored.map(({ id }) => id));
    expect(disconnects).toHaveLength(20);
    expect(disconnects.every(({ failures }) => failures === 0)).toBe(true);
  });

  it('starts at the current position if nothing is stored, and saves it immediately', async () => {
    server.message('old');
    const { saved, store } = recorded();
    const { bodies, listener } = collect({ from: 'now', position: store });
    await eventually(() => expect(saved).toEqual(['e1-1']));
    await listener.stop();
    server.message('while away');
    const again = collect({ from: 'now', position: store });
    await eventually(() => expect(again.bodies).toEqual(['while away']));
    expect(bodies).toEqual([]);
  });

  it('takes the position from comments while no events arrive, unless a gap is still to be delivered', async () => {
    const { saved, store } = recorded('e1-1');
    server.message('one');
    collect({ position: store });
    await eventually(() => expect(server.open).toBe(1));
    server.stored.push({ id: 'e1-99', session: 'other', name: 'message', data: null });
    expect(saved).toEqual([]);
    server.keepAlive();
    await eventually(() => expect(saved).toEqual(['e1-99']));
    server.stored.length = 0;
    server.answers.push((response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('id: e1-400\n: connected e1-400\n\n');
      setTimeout(() => response.destroy(), 50);
    });
    server.cut();
    await eventually(() => expect(server.requests.length).toBeGreaterThan(2));
    expect(server.requests.slice(1).map(({ after }) => after)).toEqual(['e1-99', 'e1-99']);
  });

  it('is closed if it is half open', async () => {
    server.message('one');
    server.answers.push((response, request) => {
      server.serve(response, request);
      // Nothing follows, and it does not end.
    });
    const { bodies, disconnects } = collect({}, { silenceMs: 500 });
    await eventually(() => expect(disconnects.length).toBeGreaterThan(0));
    expect(String(disconnects[0]?.error)).toContain('nothing arrived for 0.5 s');
    await eventually(() => expect(server.requests.length).toBeGreaterThan(1));
    expect(bodies).toEqual(['one']);
  });

  it('is closed if no response arrives', async () => {
    server.answers.push(() => {});
    server.message('one');
    const { bodies, disconnects } = collect({}, { answerMs: 500 });
    await eventually(() => expect(bodies).toEqual(['one']));
    expect(String(disconnects[0]?.error)).toContain('did not respond within 0.5 s');
  });

  it('ends even if fetch ignores its signal', async () => {
    const real = globalThis.fetch;
    vi.stubGlobal('fetch', (url: string, { signal: _, ...init }: RequestInit) => real(url, init));
    server.answers.push(() => {});
    const { listener, running, disconnects } = collect({ stopTimeoutMs: 20_000 }, { answerMs: 500, silenceMs: 60_000 });
    await eventually(() => expect(disconnects).toHaveLength(1));
    await eventually(() => expect(server.open).toBe(1));
    const startedAt = performance.now();
    await listener.stop();
    await running;
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await eventually(() => expect(server.open).toBe(0));
  });

  it('is closed if the response arrives after it was abandoned', async () => {
    const real = globalThis.fetch;
    // Referenced: an unreferenced one is closed once it is collected.
    const late: Response[] = [];
    const abandoned = deferred();
    let requests = 0;
    vi.stubGlobal('fetch', async (url: string, { signal: _, ...init }: RequestInit) => {
      requests += 1;
      const isFirst = requests === 1;
      const answer = await real(url, init);
      if (!isFirst) return answer;
      await abandoned.promise;
      late.push(answer);
      return answer;
    });
    const { disconnects } = collect({}, { answerMs: 3_000, silenceMs: 60_000 });
    await eventually(() => expect(disconnects).toHaveLength(1));
    abandoned.resolve();
    await eventually(() => expect(late).toHaveLength(1));
    await eventually(() => expect(requests).toBe(2));
    await eventually(() => expect(server.open).toBe(1));
    expect(late).toHaveLength(1);
  });

  it('stays open while only comments arrive', async () => {
    const { disconnects } = collect({}, { silenceMs: 3_000 });
    await eventually(() => expect(server.open).toBe(1));
    for (let n = 0; n < 20; n += 1) {
      await pace(200);
      server.keepAlive();
    }
    expect(disconnects).toEqual([]);
  });

  it('drops an event that is cut off at any byte, and receives it again completely', async () => {
    const whole = Buffer.from(
      frameOf({ id: 'e1-1', session: 'main', name: 'message', data: messageOf('Grüße 👋') }, { url: '/events' }),
    );
    const ends = [
      1,
      5,
      20,
      whole.indexOf(0xc3) + 1,
      whole.indexOf(0xf0) + 1,
      whole.indexOf(0xf0) + 3,
      whole.length - 1,
    ];
    for (const end of ends) {
      server.answers.push((response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write(whole.subarray(0, end));
        setTimeout(() => response.destroy(), 20);
      });
    }
    server.message('Grüße 👋');
    const { bodies } = collect();
    await eventually(() => expect(bodies).toEqual(['Grüße 👋']));
    expect(server.requests).toHaveLength(ends.length + 1);
  });

  it('reads events byte by byte', async () => {
    server.answers.push((response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const whole = Buffer.from(
        frameOf({ id: 'e1-1', session: 'main', name: 'message', data: messageOf('ü👋') }, { url: '/events' }),
      );
      let at = 0;
      const next = () => {
        if (at < whole.length && response.write(whole.subarray(at, ++at))) setImmediate(next);
      };
      next();
    });
    const { bodies } = collect();
    await eventually(() => expect(bodies).toEqual(['ü👋']));
  });

  it('waits longer after each failure, and as long as requested', async () => {
    for (let n = 0; n < 5; n += 1) server.answers.push((response) => response.writeHead(500).end('oh'));
    server.answers.push((response) => response.writeHead(429, { 'Retry-After': '1' }).end());
    server.answers.push((response) =>
      response.writeHead(503, { 'Retry-After': '1', 'Content-Type': 'application/json' }).end('{'),
    );
    server.message('one');
    const errors: unknown[] = [];
    const { bodies, disconnects } = collect(
      { onError: (error) => errors.push(String(error)) },
      { reconnect: { firstMs: 20, maxMs: 200 } },
    );
    await eventually(() => expect(bodies).toEqual(['one']));
    expect(disconnects.map(({ failures }) => failures)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    disconnects.slice(0, 4).forEach(({ retryInMs }, n) => {
      expect(retryInMs).toBeGreaterThanOrEqual(10 * 2 ** n);
      expect(retryInMs).toBeLessThanOrEqual(20 * 2 ** n);
    });
    const times = server.requests.map(({ at }) => at);
    for (const n of [5, 6]) expect((times[n + 1] ?? 0) - (times[n] ?? 0)).toBeGreaterThan(950);
    expect(errors).toEqual([expect.stringContaining('the event stream failed: events returned status 500')]);
  });

  it('is closed if the response is not a stream', async () => {
    const closed: Promise<unknown>[] = [];
    for (const status of [200, 500]) {
      server.answers.push((response) => {
        closed.push(once(response, 'close'));
        response.writeHead(status, { 'Content-Type': 'text/html' }).write('<h1>'); // It does not end.
      });
    }
    server.message('one');
    const { bodies } = collect();
    await eventually(() => expect(bodies).toEqual(['one']));
    await Promise.all(closed);
  });

  it('waits longer each time if every stream ends at once', async () => {
    for (let n = 0; n < 5; n += 1) {
      server.answers.push((response) =>
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(': connected e1-1\n\n'),
      );
    }
    const { disconnects } = collect({ onError: () => {} });
    await eventually(() => expect(server.open).toBe(1));
    expect(disconnects.map(({ failures }) => failures)).toEqual([0, 1, 2, 3, 4]);
  });

  it.each([
    [400, 'invalid_request'],
    [401, 'unauthorized'],
    [403, 'insufficient_scope'],
    [404, 'session_not_found'],
  ])('ends with the error of a %i, after handlers have settled', async (status, code) => {
    server.message('slow');
    const { saved, store } = recorded();
    let isDone = false;
    const listener = create({ position: store });
    const running = listener.run({
      message: async () => {
        await takes(200);
        isDone = true;
      },
    });
    running.catch(() => {});
    await eventually(() => expect(server.open).toBe(1));
    server.answers.push((response) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ error: 'it says why', code }));
    });
    server.cut();
    await expect(running).rejects.toMatchObject({ code, message: 'it says why' });
    expect(isDone).toBe(true);
    expect(saved.at(-1)).toBe('e1-1');
    expect(server.requests).toHaveLength(2);
  });

  it('reports a response that is not from a gateway', async () => {
    server.answers.push((response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Log in</h1>'));
    const { disconnects } = collect();
    await eventually(() => expect(disconnects).toHaveLength(1));
    expect(String(disconnects[0]?.error)).toContain('the server is not a gateway');
  });

  it('survives invalid data: unreadable events are reported, skipped and not requested again', async () => {
    const errors: unknown[] = [];
    server.answers.push((response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('\u0000\u0001 junk\n\nid\nevent\ndata\n\n: \nretry: never\n\n\r\r\n');
      response.write(Buffer.from([0xff, 0xfe, 0xc3, 0x0a, 0x0a]));
      response.write('id: e1-1\nevent: message\ndata: {"secret": \n\n');
      response.write('id: e1-2\nevent: message\ndata: {"session":"main","at":"","data":{"body":"secret"}}\n\n');
      response.write('id: e1-3\nevent: message_ack\ndata: {"at":"","data":{"id":"a","ack":1}}\n\n');
      response.write('event: toString\ndata: {}\n\nevent: __proto__\ndata: {}\n\n');
      response.write(
        frameOf({ id: 'e1-4', session: 'main', name: 'message', data: messageOf('good') }, { url: '/events' }),
      );
    });
    const { bodies, listener } = collect({ onError: (error) => errors.push(error) });
    await eventually(() => expect(listener.position).toBe('e1-4'));
    expect(bodies).toEqual(['good']);
    expect(errors.map(String)).toEqual([
      'Error: event e1-1 (message) was skipped: it is not JSON',
      expect.stringMatching(/^Error: event e1-2 \(message\) was skipped: invalid data/),
      'Error: event e1-3 (message_ack) was skipped: it does not name its session',
    ]);
    expect(errors[0]).toMatchObject({ cause: '{"secret": ' });
  });

  it('rejects an endless line, in bounded memory', async () => {
    server.answers.push((response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const piece = 'x'.repeat(1_048_576);
      response.write('data: ');
      const more = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', more);
      more();
    });
    server.message('one');
    const { bodies, disconnects } = collect();
    await eventually(() => expect(bodies).toEqual(['one']));
    expect(String(disconnects[0]?.error)).toContain('max buffer size');
  });

  it('reads events of a megabyte in a time that grows only with their length', async () => {
    const timeOf = async (length: number) => {
      const events = 16_000_000 / length;
      await using own = await EventServer.start();
      for (let n = 0; n < events; n += 1) own.emit('disconnected', { reason: 'LOGOUT', message: 'x'.repeat(length) });
      const startedAt = performance.now();
      let count = 0;
      const listener = new Listener({ url: own.url }, { from: 'oldest' }, TIMING);
      for await (const _ of listener) if (++count === events) break;
      return performance.now() - startedAt;
    };
    await timeOf(100_000);
    const many = await timeOf(100_000);
    const few = Math.min(await timeOf(2_000_000), await timeOf(2_000_000)); // The machine may be busy.
    // As much text in all. Quadratic would be 20 times as long.
    expect(few / many).toBeLessThan(10);
  });

  it('resumes if the gateway has lost events, and reports what is missing', async () => {
    const { bodies } = collect();
    await eventually(() => expect(server.open).toBe(1));
    server.message('one');
    server.message('two');
    await eventually(() => expect(bodies).toEqual(['one', 'two']));
    // Restored from a copy that has one event, and then others.
    server.stored.length = 1;
    server.epoch = 'e2';
    server.message('three');
    const data = { reason: 'unknown_position', from: 'e1-2', to: 'e1-1' };
    server.answers.push((response, request) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      // The gap ends with an event from before the gateway was restored.
      response.write(frameOf({ id: 'e1-1', session: undefined, name: 'gap', data }, request));
      for (const event of server.stored) response.write(frameOf(event, request));
    });
    server.cut();
    await eventually(() => expect(bodies).toEqual(['one', 'two', 'gap', 'three']));
  });

  it('passes on an event once if the gateway sends it again', async () => {
    const { bodies } = collect();
    await eventually(() => expect(server.open).toBe(1));
    server.message('one');
    for (let n = 0; n < 3; n += 1) {
      server.answers.push((response, request) => server.serve(response, { ...request, after: 'oldest' }));
      await eventually(() => expect(server.open).toBe(1));
      server.cut();
    }
    server.message('two');
    await eventually(() => expect(bodies).toEqual(['one', 'two']));
  });
});

describe('its position', () => {
  it('is saved in order, one save at a time, not too often, and again if it fails', async () => {
    let [saving, max, calls] = [0, 0, 0];
    let isFull = true;
    const saved: number[] = [];
    const errors: string[] = [];
    const store: PositionStore = {
      load: async () => undefined,
      save: async (id) => {
        max = Math.max(max, ++saving);
        await takes(5);
        saving -= 1;
        calls += 1;
        if (isFull && calls % 3 === 1) throw new Error('the disk is full');
        saved.push(Number(id.split('-')[1] ?? 0));
      },
    };
    const { bodies, listener } = collect({
      position: store,
      savePositionEveryMs: 100,
      onError: (error) => errors.push(String(error)),
    });
    await eventually(() => expect(server.open).toBe(1));
    const startedAt = performance.now();
    for (let n = 0; n < 200; n += 1) {
      server.message(`${n}`);
      if (n % 10 === 0) await pace(10);
    }
    await eventually(() => expect(bodies).toHaveLength(200));
    // At the end there is one attempt, however many preceded it.
    isFull = false;
    await listener.stop();
    const tookMs = performance.now() - startedAt;
    expect(saved.at(-1)).toBe(200);
    expect(saved).toEqual(saved.toSorted((one, other) => one - other));
    expect(max).toBe(1);
    expect(saved.length).toBeLessThan(tookMs / 100 + 4);
    expect(errors[0]).toBe('Error: the position was not saved: the disk is full');
  });

  it('is not saved in a tight loop while saving fails, and events continue', async () => {
    let calls = 0;
    const save = async () => {
      calls += 1;
      throw new Error('the disk is full');
    };
    const { bodies } = collect(
      { position: { load: async () => undefined, save }, onError: () => {} },
      { retry: { firstMs: 100, maxMs: 100 } },
    );
    for (let n = 0; n < 10; n += 1) {
      server.message(`${n}`);
      await pace(50);
    }
    await eventually(() => expect(bodies).toHaveLength(10));
    expect(calls).toBeGreaterThan(1);
    expect(calls).toBeLessThan(50);
  });

  it('is saved when stop() resolves, with one more attempt if saving fails', async () => {
    server.message('one');
    const saved: string[] = [];
    const save = async (id: string) => {
      await takes(100);
      saved.push(id);
    };
    const slow = collect({ position: { load: async () => 'oldest', save } });
    await eventually(() => expect(slow.bodies).toEqual(['one']));
    await slow.listener.stop();
    expect(saved).toEqual(['e1-1']);
    const errors: unknown[] = [];
    const failing = { load: async () => 'oldest', save: () => Promise.reject(new Error('no')) };
    const { listener, bodies } = collect(
      { position: failing, onError: (error) => errors.push(error) },
      { retry: { firstMs: 60_000, maxMs: 60_000 } },
    );
    await eventually(() => expect(bodies).toEqual(['one']));
    await eventually(() => expect(errors).toHaveLength(1));
    await listener.stop();
    expect(errors).toHaveLength(2);
  });

  it('has each effect exactly once if stored in the transaction of the work, whenever the process dies', async () => {
    for (let n = 0; n < 200; n += 1) server.message(`${n}`, `s${n % 3}`);
    const database: { effects: string[]; position: string | undefined } = { effects: [], position: undefined };
    const position = { load: async () => database.position, save: async () => {} };
    const die = (share: number) => {
      if (Math.random() < share) throw new Error('died');
    };
    let deaths = 0;
    while (database.effects.length < 200) {
      try {
        for await (const event of create({ position })) {
          die(0.05);
          Object.assign(database, { effects: [...database.effects, bodyOf(event)], position: event.id });
          if (database.effects.length === 200) break;
          die(0.05);
        }
      } catch {
        deaths += 1;
      }
    }
    expect(database.effects).toEqual([...Array(200).keys()].map(String));
    expect(deaths).toBeGreaterThan(0);
  });

  it('that cannot be loaded, or is invalid, ends the listener', async () => {
    const failing = { ...recorded().store, load: () => Promise.reject(new Error('no such table')) };
    await expect(create({ position: failing }).run({ message: () => {} })).rejects.toThrow('no such table');
    const injected = recorded('e1-1\r\nX-Evil: 1').store;
    await expect(create({ position: injected }).run({ message: () => {} })).rejects.toThrow(
      'is not the id of an event',
    );
    expect(server.requests).toEqual([]);
  });

  it('in a file shared by two listeners is held by the first, until it ends', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chat-web-position-'));
    try {
      const position = filePosition(join(folder, 'position'));
      const errors: unknown[] = [];
      const first = collect({ position, onError: (error) => errors.push(error) });
      await eventually(() => expect(server.open).toBe(1));
      await expect(collect({ position }).running).rejects.toThrow('is in use by another listener');
      server.message('one');
      await eventually(() => expect(first.bodies).toEqual(['one']));
      await first.listener.stop();
      expect(errors).toEqual([]);
      server.message('two');
      const second = collect({ position });
      await eventually(() => expect(second.bodies).toEqual(['two']));
      await second.listener.stop();
      expect(await readFile(join(folder, 'position'), 'utf8')).toBe('e1-2\n');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is the last handled one if a store in memory is passed from one listener to the next', async () => {
    const store = memoryPosition();
    server.message('one');
    const first = collect({ position: store });
    await eventually(() => expect(first.bodies).toEqual(['one']));
    await first.listener.stop();
    server.message('two');
    const second = collect({ position: store });
    await eventually(() => expect(second.bodies).toEqual(['two']));
  });
});

it('listen refuses invalid options', () => {
  expect(() => listen({ url: 'localhost:not a port' })).toThrow('write it as in');
  expect(() => listen({ url: server.url }, { sessions: [] })).toThrow('sessions is empty');
  expect(() => listen({ url: server.url }, { events: [] })).toThrow('events is empty');
  expect(() => listen({ url: server.url }, { chats: [] })).toThrow('chats is empty');
  expect(() => listen({ url: server.url }, { from: 'e1-1\r\nX: y' })).toThrow('from is not a position');
  expect(() => listen({ url: server.url }, { concurrency: 0 })).toThrow('concurrency must be 1 or more');
  expect(() => listen({ url: server.url }, { stopTimeoutMs: Number.NaN })).toThrow('stopTimeoutMs must be 0 or more');
});
