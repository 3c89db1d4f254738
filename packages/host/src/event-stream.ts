import { type EventName, eventData, type SessionEvent } from '@chat-web/protocol';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import * as v from 'valibot';
import { answeredError } from './client.ts';
import { ask, type GatewayAddress } from './transport.ts';

/**
 * One connection to a session's event stream, from now on. Resolves when the gateway has accepted it; the events end
 * when the session is deleted or the gateway stops, and throw when the signal aborts or the connection fails. Rejects with
 * the gateway's error.
 */
export async function openEventStream(
  address: GatewayAddress,
  id: string,
  signal: AbortSignal,
): Promise<AsyncIterable<SessionEvent>> {
  const headers = { Accept: 'text/event-stream' };
  const response = await ask(address, `/sessions/${encodeURIComponent(id)}/events`, { headers, signal });
  if (!response.ok || !response.body) {
    throw answeredError('events', response, await response.json().catch(() => undefined));
  }
  return readEvents(response.body);
}

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<SessionEvent> {
  const messages = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { event, data } of messages) {
    if (event !== undefined && isEventName(event)) yield parseEvent(event, data);
  }
}

function isEventName(name: string): name is EventName {
  return Object.hasOwn(eventData, name); // One that a newer gateway sends is passed over.
}

function parseEvent(name: EventName, data: string): SessionEvent {
  const parsed = v.parse(eventData[name], name === 'qr' ? data : JSON.parse(data));
  return { name, data: parsed } as SessionEvent;
}
