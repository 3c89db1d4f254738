import { type EventName, errorText, eventData } from '@chat-web/protocol';
import * as v from 'valibot';
import { parseEvent } from '../event-stream.ts';
import type { ListenedEvent } from './events.ts';
import type { Frame } from './frames.ts';

/** The format of an event on the stream of all sessions. */
const envelope = v.object({ session: v.optional(v.string()), at: v.string(), data: v.unknown() });

/** The names of all events that this version knows. */
export const EVENT_NAMES = Object.keys(eventData) as EventName[];

/**
 * Reads an event. `session`: the session of the stream; undefined if each event names its session. If the event is not
 * in the format that this version knows, throws an error without the data in its message; the text is its `cause`.
 */
export function readEvent(
  frame: Extract<Frame, { kind: 'event' }>,
  name: EventName,
  session: string | undefined,
): ListenedEvent {
  const { id, text } = frame;
  try {
    if (session !== undefined)
      return { id, session, at: undefined, ...parseEvent(name, name === 'qr' ? text : JSON.parse(text)) };
    const { session: whose, at, data } = v.parse(envelope, JSON.parse(text));
    if (whose === undefined && name !== 'gap') throw new Error('it does not say of which session it is');
    return { id, session: whose, at, ...parseEvent(name, data) } as ListenedEvent;
  } catch (error) {
    // The text of a SyntaxError repeats the input.
    const why = error instanceof SyntaxError ? 'it is no JSON' : errorText(error);
    throw new Error(`event ${id} (${name}) was skipped: ${why}`, { cause: text });
  }
}
