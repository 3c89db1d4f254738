import { takes } from '@chat-web/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BodyReader } from './body-reader.ts';

const URL_OF_IT = 'https://shop.example/';

afterEach(() => vi.useRealTimers());

/** A request whose body is sent piece by piece. */
function opened() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
  });
  const body = new Request(URL_OF_IT, { method: 'POST', body: stream, duplex: 'half' });
  if (!controller) throw new Error('the stream has not started');
  return { body, controller };
}

it('a body that arrives too slowly is 408, and its connection is released', async () => {
  let cancelled = false;
  const trickle = new ReadableStream({
    pull: async (controller) => {
      await takes(10);
      controller.enqueue(new Uint8Array(1));
    },
    cancel: () => {
      cancelled = true;
    },
  });
  const reader = new BodyReader(1_000_000, () => {}, 100);
  const answer = await reader.read(new Request(URL_OF_IT, { method: 'POST', body: trickle, duplex: 'half' }));
  expect(answer).toMatchObject({ status: 408 });
  await expect.poll(() => cancelled).toBe(true);
});

it('a body whose time is over is 408, even if a finer clock shows time left', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { body, controller } = opened();
  const answer = new BodyReader(1_000_000, () => {}).read(body);
  for (let window = 0; window < 3; window += 1) {
    controller.enqueue(new Uint8Array(20_000));
    await vi.advanceTimersByTimeAsync(10_000);
  }
  expect(await answer).toMatchObject({ status: 408 });
});

it('a body of which less than 1 KB/s arrives is 408 after 10 s', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const [slow, fast] = [opened(), opened()];
  const reader = new BodyReader(1_000_000, () => {});
  const answers = [slow, fast].map(({ body }) => reader.read(body));
  for (let second = 0; second < 10; second += 1) {
    slow.controller.enqueue(new Uint8Array(1_000));
    fast.controller.enqueue(new Uint8Array(1_100));
    await vi.advanceTimersByTimeAsync(1_000);
  }
  fast.controller.close();
  expect(await answers[0]).toMatchObject({ status: 408 });
  expect(await answers[1]).toHaveLength(11_000);
});

it('a body of exactly the allowed size is read completely, however it is split', async () => {
  const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => index % 256);
  const pieces = new ReadableStream({
    start: (controller) => {
      for (const [from, to] of [
        [0, 1],
        [1, 1],
        [1, 700],
        [700, 1_000],
      ]) {
        controller.enqueue(bytes.slice(from, to));
      }
      controller.close();
    },
  });
  const reader = new BodyReader(1_000, () => {});
  const read = await reader.read(new Request(URL_OF_IT, { method: 'POST', body: pieces, duplex: 'half' }));
  expect(read).toEqual(bytes);
});

it('no body is no bytes', async () => {
  expect(await new BodyReader(1, () => {}).read(new Request(URL_OF_IT, { method: 'POST' }))).toEqual(new Uint8Array(0));
});

describe('bodies that fill the memory', () => {
  const MAX = 100_000;
  const adapterOf = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } });

  /** Starts to read bodies of this size from each address, and leaves them open. */
  async function fill(reader: BodyReader, bytes: number, addresses: readonly (string | undefined)[]) {
    const all = addresses.map((address) => {
      const { body, controller } = opened();
      const answer = reader.read(body, address === undefined ? undefined : adapterOf(address));
      controller.enqueue(new Uint8Array(bytes));
      return { answer, controller, outcome: outcomeOf(answer) };
    });
    await vi.advanceTimersByTimeAsync(0);
    return all;
  }
  const outcomeOf = (answer: Promise<Uint8Array | Response>) => {
    const seen: { status?: number } = {};
    void answer.then((given) => {
      seen.status = given instanceof Response ? given.status : 200;
    });
    return seen;
  };
  const refusedOf = (all: readonly { readonly outcome: { readonly status?: number } }[]) =>
    all.map(({ outcome }) => outcome.status === 503);
  const withClock = () => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const nobody = (count: number) => Array.from({ length: count }, () => undefined);

  it.each([12, 100])('give way to a newer one if they are slower: %i', async (count) => {
    withClock();
    const reader = new BodyReader(MAX, () => {});
    const strangers = await fill(reader, MAX - 1, nobody(count));
    expect(refusedOf(strangers).filter(Boolean)).toHaveLength(count - 8); // The memory is full.
    await vi.advanceTimersByTimeAsync(2_000);
    const [signed] = await fill(reader, 1_000, nobody(1));
    for (let piece = 0; piece < 60; piece += 1) {
      signed?.controller.enqueue(new Uint8Array(1_000));
      await vi.advanceTimersByTimeAsync(10);
    }
    signed?.controller.close();
    expect(await signed?.answer).toHaveLength(61_000);
    expect(refusedOf(strangers).filter(Boolean)).toHaveLength(count - 7);
  });

  it('are refused in the order of their rate', async () => {
    withClock();
    const reader = new BodyReader(MAX, () => {});
    const first = await fill(reader, MAX, nobody(4));
    await vi.advanceTimersByTimeAsync(2_000);
    const second = await fill(reader, MAX, nobody(4));
    await vi.advanceTimersByTimeAsync(2_000);
    await fill(reader, MAX, nobody(5));
    expect(refusedOf([...first, ...second])).toEqual([true, true, true, true, true, false, false, false]);
  });

  it.each([
    ['an address', ['10.0.0.9', '10.0.0.9', '10.0.0.9']],
    ['a network', ['2001:db8:a:b::1', '2001:db8:a:b:c::2', '2001:db8:a:b:c:d:e:f']],
  ])('are those of %s with more than its share, even if they are faster', async (_, addresses) => {
    withClock();
    const reader = new BodyReader(MAX, () => {});
    const others = await fill(reader, MAX, ['10.0.0.1', '10.0.0.1', '10.0.0.2', '2001:db8:a:c::1', undefined]);
    await vi.advanceTimersByTimeAsync(2_000);
    const greedy = await fill(reader, MAX, addresses);
    await vi.advanceTimersByTimeAsync(2_000);
    await fill(reader, MAX / 2, ['10.0.0.3']);
    expect([refusedOf(others), refusedOf(greedy)]).toEqual([Array(5).fill(false), [true, false, false]]);
  });

  it('leave no trace when they are done', async () => {
    withClock();
    const reader = new BodyReader(MAX, () => {});
    for (let round = 0; round < 3; round += 1) {
      const all = await fill(reader, MAX, nobody(8));
      expect(refusedOf(all)).not.toContain(true);
      for (const { controller } of all.slice(0, 4)) controller.close();
      for (const { controller } of all.slice(4)) controller.error(new Error('disconnected'));
      const statuses = (await Promise.all(all.map(({ answer }) => answer))).map((one) => one instanceof Response);
      expect(statuses).toEqual([...Array(4).fill(false), ...Array(4).fill(true)]);
    }
  });

  it('may arrive in single bytes', async () => {
    const { body, controller } = opened();
    const answer = new BodyReader(MAX, () => {}).read(body);
    const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, sent) => sent % 256));
    for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
    controller.close();
    expect(bytes.equals((await answer) as Uint8Array)).toBe(true);
  });
});
