import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { freshProgram, stubPage } from '../testing/page-registry.ts';
import { Wid } from '../testing/wid.ts';
import type { PageMessage, PageSignal } from './models.ts';

freshProgram();

const MINUTE_MS = 60_000;
const listeners = new Map<string, (message: PageMessage, value?: unknown) => void>();
const held: PageMessage[] = [];
let reported: string[] = [];
/** What the page requests again. */
let resent: unknown[] = [];

beforeEach(async () => {
  vi.useFakeTimers();
  reported = [];
  resent = [];
  held.splice(0);
  const Msg = {
    on: (event: string, listener: (message: PageMessage) => void) => void listeners.set(event, listener),
    get: (id: string) => held.find((one) => String(one.id) === id),
    getMessagesById: async () => undefined,
    getModelsArray: () => held,
  };
  stubPage(
    {
      WAWebCollections: { Msg },
      WAWebNonMessageDataRequestPlaceholderMessageResendUtils: {
        handlePlaceholderMsgsSeen: (messages: readonly PageMessage[]) => {
          resent = messages.map(({ id }) => String(id));
        },
      },
    },
    {
      me: '1@c.us',
      window: {
        chatWebSignal: (payload: string) => {
          const signal = JSON.parse(payload) as PageSignal;
          const { model } = signal as Extract<PageSignal, { is: 'message' }>;
          reported.push(`${model.id} ${model.unavailable ?? model.body}`);
        },
      },
    },
  );
  const { listen } = await import('./listeners.ts');
  listen();
});
afterEach(() => void vi.useRealTimers());

/** A message in the page, whose type may change. */
function arrive(values: object, isNew = true) {
  let changed: ((message: PageMessage) => void) | undefined;
  const id = { toString: () => 'M', fromMe: false, remote: new Wid('2@c.us') };
  const message = {
    id,
    from: new Wid('2@c.us'),
    to: new Wid('1@c.us'),
    t: 1_800_000_000,
    isNewMsg: isNew,
    once: (_: string, listener: typeof changed) => {
      changed = listener;
    },
    ...values,
  } as unknown as PageMessage;
  held.push(message);
  if (isNew) listeners.get('add')?.(message);
  return {
    becomes: (content: object) => {
      Object.assign(message, content);
      changed?.(message);
    },
  };
}
const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const sealed = { type: 'ciphertext' };
const text = { type: 'chat', body: 'hello' };

it('a message that is decrypted within seconds is reported once', async () => {
  const { becomes } = arrive(sealed);
  await after(6_000);
  expect({ reported, resent }).toEqual({ reported: [], resent: ['M'] });
  becomes(text);
  await after(MINUTE_MS);
  expect(reported).toEqual(['M hello']);
});

it('a message that stays undecrypted is reported without its content, and once more if it comes', async () => {
  const { becomes } = arrive(sealed);
  await after(MINUTE_MS);
  expect(reported).toEqual(['M not_decrypted']);
  becomes(text);
  await after(MINUTE_MS);
  expect(reported).toEqual(['M not_decrypted', 'M hello']);
});

it.each([
  [{ ...sealed, subtype: 'view_once_unavailable_fanout' }, 'view_once'],
  [{ ...sealed, subtype: 'hosted_unavailable_fanout' }, 'not_decrypted'],
  [{ ...sealed, subtype: 'bot_unavailable_fanout' }, 'not_decrypted'],
  [{ type: 'unknown', subtype: 'phone_only_feature' }, 'not_decrypted'],
  [{ type: 'oversized' }, 'not_decrypted'],
  [{ type: 'image', isViewOnce: true }, 'view_once'],
])('%j, which this device never can read, is reported at once: %s', async (values, unavailable) => {
  arrive(values);
  await after(0);
  expect(reported).toEqual([`M ${unavailable}`]);
  await after(MINUTE_MS);
  expect({ reported: reported.length, resent }).toEqual({ reported: 1, resent: [] });
});

it.each([
  { type: 'unknown', futureproofType: 'album' },
  { type: 'unknown', subtype: 'payment_action_request_declined' },
  { type: 'protocol' },
  { ...sealed, viewMode: 'HIDDEN' },
])('%j, which nobody wrote, is not reported', async (values) => {
  arrive(values);
  await after(MINUTE_MS);
  expect(reported).toEqual([]);
});

it('a message that is revoked before it is decrypted is not reported', async () => {
  const { becomes } = arrive(sealed);
  becomes({ type: 'revoked' });
  await after(MINUTE_MS);
  expect(reported).toEqual([]);
});

it('a stored message without its content is left to a later report, and then found', async () => {
  const { inboundSince } = await import('./inbox.ts');
  const { becomes } = arrive(sealed, false);
  expect(inboundSince(0)).toEqual([]);
  await after(MINUTE_MS);
  expect(reported).toEqual(['M not_decrypted']);
  expect(inboundSince(0)).toEqual([{ id: 'M', isNew: false }]);
  becomes(text);
  await after(0);
  expect(reported).toEqual(['M not_decrypted', 'M hello']);
});

it('a message that was reported before the page loaded is read when its content has come, or reported then', async () => {
  const { contentsOf } = await import('./inbox.ts');
  const { becomes } = arrive(sealed, false);
  expect(await contentsOf(['M', 'gone'])).toEqual([]);
  await after(MINUTE_MS);
  expect(reported).toEqual([]);
  becomes(text);
  await after(0);
  expect(reported).toEqual(['M hello']);
  expect(await contentsOf(['M'])).toMatchObject([{ id: 'M', body: 'hello' }]);
});
