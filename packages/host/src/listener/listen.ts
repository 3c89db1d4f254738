import type { EventName } from '@chat-web/protocol';
import type { GatewayAddress } from '../transport.ts';
import { isEventId } from './frames.ts';
import { Listener, type ListenerTiming, type ListenOptions } from './listener.ts';

const TIMING: ListenerTiming = {
  reconnect: { firstMs: 250, maxMs: 30_000 },
  answerMs: 30_000,
  silenceMs: 75_000,
  goodAfterMs: 10_000,
  retry: { firstMs: 1_000, maxMs: 60_000 },
};

/**
 * Follows the events of one session, several or all, across restarts of the gateway, and across restarts of the
 * application if `position` is stored. Each event is delivered at least once, in the order of its session; events
 * handled shortly before the application crashed are delivered again. Nothing is sent before the listener is iterated
 * or run.
 *
 * @throws TypeError if the url or another option is not valid.
 *
 * @example
 * for await (const event of listen({ url: 'http://127.0.0.1:3000', token }, { events: ['message'] })) {
 *   if (event.name === 'message') await store(event.session, event.data);
 * }
 *
 * @example
 * const listener = listen({ url: 'http://127.0.0.1:3000', token }, { position: filePosition('position') });
 * process.once('SIGTERM', () => listener.stop());
 * await listener.run({ message: ({ session, data }) => store(session, data) });
 */
export function listen<N extends EventName = EventName>(
  address: GatewayAddress,
  options: ListenOptions<N> = {},
): Listener<N> {
  const { sessions, events, from = 'now' } = options;
  if (!/^https?:\/\/./i.test(address.url) || !URL.canParse(address.url))
    throw new TypeError('the url of the gateway is not valid: write it as in http://127.0.0.1:3000');
  if (sessions?.length === 0) throw new TypeError('sessions is empty: name one, or omit it for all');
  if (events?.length === 0) throw new TypeError('events is empty: name one, or omit it for all');
  if (options.chats?.length === 0) throw new TypeError('chats is empty: name a kind of chat, or omit it for all');
  if (!isEventId(from)) throw new TypeError("from is not a position: use 'now', 'oldest' or the id of an event");
  for (const name of ['concurrency', 'maxEventsInHand'] as const) requireAtLeast(1, name, options[name]);
  for (const name of ['savePositionEveryMs', 'stopTimeoutMs'] as const) requireAtLeast(0, name, options[name]);
  return new Listener(address, options, TIMING);
}

function requireAtLeast(min: number, name: string, value: number | undefined): void {
  // NaN fails every comparison.
  if (value !== undefined && !(value >= min)) throw new TypeError(`${name} must be ${min} or more`);
}
