import { type EventName, errorText, eventData } from '@chat-web/protocol';
import * as v from 'valibot';
import { parseEvent } from '../event-stream.ts';
import type { ListenedEvent } from './events.ts';
import type { Frame } from './frames.ts';

/** How the stream of all sessions has an event. */
const envelope = v.object({ session: v.optional(v.string()), at: v.string(), data: v.unknown() });

/** The names of all events that this version knows. */
export const EVENT_NAMES = Object.keys(eventData) as EventName[];

/**
 * Reads an event. `session`: whose stream it is; undefined for a stream that says it. Throws an error without the data
 * in its message if it is not of the form that this version knows; the text is its `cause`.
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
    // The text of a SyntaxError repeats what it could not read.
    const why = error instanceof SyntaxError ? 'it is no JSON' : errorText(error);
    throw new Error(`event ${id} (${name}) was skipped: ${why}`, { cause: text });
  }
}
