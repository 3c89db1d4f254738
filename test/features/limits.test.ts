import type { GatewayError } from '@chat-web/protocol';
import { ADA, BEN, CARLA, DEV, eventually } from '@chat-web/testing';
import { expectRefused, sharedStack } from '@chat-web/testing/story';
import { beforeAll, expect, it } from 'vitest';

/** The page is read every 15 s, and is asked about an ended lock then. */
const READ_MS = 60_000;
const HOUR_MS = 3_600_000;

const stack = sharedStack();
let events: Awaited<ReturnType<typeof stack.listen>>;
beforeAll(async () => {
  await stack.phones.send(BEN, { to: ADA, body: 'hello' });
  await stack.link('main', ADA);
  events = await stack.listen('main', ['limits']);
});

const limits = async () => (await stack.client.getSessionStatus({ id: 'main' })).limits;
const write = (to: string) => stack.client.sendMessage({ id: 'main', type: 'text', to, body: 'hello' });

it("WhatsApp's limits on new chats are in the status and in events, and explain the refusal of a send", async () => {
  const untilMs = Math.ceil((Date.now() + HOUR_MS) / 1_000) * 1_000;
  const until = new Date(untilMs).toISOString();
  const newChats = { total: 5, used: 3, until: untilMs / 1_000 };
  await stack.phones.limit(ADA, { newChats });
  await eventually(async () => expect(await limits()).toEqual([{ kind: 'new_chats', until, remaining: 2 }]), READ_MS);
  await write(CARLA);

  await stack.phones.limit(ADA, { newChats: { ...newChats, used: 5 } });
  const error = await write(DEV).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: expect.any(Number) });
  const { retryAfterSeconds = 0 } = error as GatewayError;
  const leftSeconds = (untilMs - Date.now()) / 1_000;
  expect(retryAfterSeconds).toBeGreaterThanOrEqual(leftSeconds);
  expect(retryAfterSeconds).toBeLessThan(leftSeconds + 30);
  await write(BEN); // He has written to the account.
  await stack.phones.limit(ADA, { timeLockedUntil: untilMs });
  await eventually(async () => expect(await limits()).toEqual([{ kind: 'time_lock', until }]), READ_MS);
  await expectRefused([write(DEV)], { code: 'rate_limited' });

  // The network does not notify the page of the end.
  await stack.phones.limit(ADA, { timeLockedUntil: Date.now() + 1_000 });
  await eventually(async () => expect(await limits()).toEqual([]), READ_MS);
  await write(DEV);
  const kinds = events.all('limits').map((event) => event.limits[0]?.kind);
  expect(kinds.filter((kind, n) => kind !== kinds[n - 1])).toEqual(['new_chats', 'time_lock', undefined]);
});
