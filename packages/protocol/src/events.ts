import * as v from 'valibot';
import { reason } from './reasons.ts';
import { ack, message, pngDataUrl, sessionInfo } from './resources.ts';

/** The data of each event of a session's stream, by name. */
export const eventData = {
  qr: pngDataUrl,
  ready: v.pick(sessionInfo, ['pushname', 'wid', 'phone']),
  message,
  message_ack: v.object({ id: v.string(), ack }),
  /** `message`: the reason as a sentence. */
  disconnected: v.object({ reason, message: v.string() }),
  /** Messages between these times, in ISO 8601, were not recovered. */
  gap: v.object({ reason: v.picklist(['not_loaded']), from: v.string(), to: v.string() }),
} as const;

export type EventName = keyof typeof eventData;
export type EventData<N extends EventName> = v.InferOutput<(typeof eventData)[N]>;

/** One event of a session's stream. */
export type SessionEvent = { [N in EventName]: { readonly name: N; readonly data: EventData<N> } }[EventName];
