import { takes } from '@chat-web/testing';
import { expect, it, vi } from 'vitest';
import { BodyReader } from './body-reader.ts';

const URL_OF_IT = 'https://shop.example/';

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
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) });
  const reader = new BodyReader(1_000_000, () => {}, 100);
  const answer = reader.read(new Request(URL_OF_IT, { method: 'POST', body, duplex: 'half' }));
  await vi.advanceTimersByTimeAsync(100);
  expect(await answer).toMatchObject({ status: 408 });
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
