import { answeredError, type EventName, eventData, isEventName, type SessionEvent } from '@chat-web/protocol';
import * as v from 'valibot';
import { type EventChoice, queryOf } from './event-choice.ts';
import { jsonOf } from './json-of.ts';
import { type Frame, readFrames } from './listener/frames.ts';
import { ask, type GatewayAddress } from './transport.ts';

/** An event, with its position in the stream; a `qr` has none. */
export type ReceivedEvent = SessionEvent & { readonly id: string | undefined };

/**
 * Opens one connection to a session's event stream. Resolves when the gateway has accepted it. The events end when the
 * session or the key is deleted or the gateway stops, and throw when the signal aborts or the connection fails. Then
 * open it again with the `id` of the last event that you processed as `after`: nothing is lost. Rejects with the
 * gateway's GatewayError, or like `fetch` if the gateway cannot be reached.
 */
export async function openEventStream(
  address: GatewayAddress,
  id: string,
  signal: AbortSignal,
  { after, ...choice }: EventChoice & { readonly after?: string | undefined } = {},
): Promise<AsyncIterable<ReceivedEvent>> {
  const headers = { Accept: 'text/event-stream', ...(after === undefined ? {} : { 'Last-Event-ID': after }) };
  const response = await ask(address, `/sessions/${encodeURIComponent(id)}/events${queryOf(choice)}`, {
    headers,
    signal,
  });
  if (!response.ok || !response.body) {
    throw answeredError('events', response, await jsonOf(response).catch(() => undefined));
  }
  return readEvents(readFrames(response.body, { signal }));
}

async function* readEvents(frames: AsyncIterable<Frame>): AsyncGenerator<ReceivedEvent> {
  for await (const frame of frames) {
    if (frame.kind !== 'event' || !isEventName(frame.name)) continue;
    const { id, name, text } = frame;
    yield { id, ...parseEvent(name, name === 'qr' ? text : JSON.parse(text)) };
  }
}

/** An event with a known name. Throws a ValiError if its data is invalid. */
export function parseEvent(name: EventName, data: unknown): SessionEvent {
  return { name, data: v.parse(eventData[name], data) } as SessionEvent;
}
