import * as v from 'valibot';
import { reason } from './reasons.ts';
import { ack, message, pngDataUrl, sessionInfo } from './resources.ts';

/** What a session's event stream carries: the data of each event by its name. */
export const eventData = {
  qr: pngDataUrl,
  ready: v.pick(sessionInfo, ['pushname', 'wid', 'phone']),
  message,
  message_ack: v.object({ id: v.string(), ack }),
  /** `message` is a sentence for people. */
  disconnected: v.object({ reason, message: v.string() }),
  /** Messages that came between these times, in ISO 8601, and are not told of. */
  gap: v.object({ reason: v.picklist(['not_loaded']), from: v.string(), to: v.string() }),
} as const;

export type EventName = keyof typeof eventData;
export type EventData<N extends EventName> = v.InferOutput<(typeof eventData)[N]>;

/** One event of a session, as it is published to its stream. */
export type SessionEvent = { [N in EventName]: { readonly name: N; readonly data: EventData<N> } }[EventName];
