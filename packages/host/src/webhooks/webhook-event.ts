import { type EventData, type EventName, eventData, isEventName, type Metadata } from '@chat-web/protocol';
import * as v from 'valibot';

interface Common {
  /** The id of the event in the gateway's journal: the same on each repetition, and on streams. */
  readonly id: string;
  /** When it happened, in ISO 8601. */
  readonly at: string;
  /** What callers have noted on the session. Undefined if nothing. */
  readonly metadata?: Metadata | undefined;
}

/** An event delivered by a webhook of the gateway: `name` determines the type of `data`. */
export type WebhookEvent<N extends EventName | 'other' = EventName | 'other'> = {
  readonly [K in N]: K extends EventName
    ? Common & {
        readonly name: K;
        /** Undefined: a `gap` that concerns all sessions. */
        readonly session: K extends 'gap' ? string | undefined : string;
        readonly data: EventData<K>;
      }
    : OtherWebhookEvent;
}[N];

/** An event that this version does not know, such as a test event, or whose data is invalid for this version. */
export interface OtherWebhookEvent extends Common {
  readonly name: 'other';
  readonly type: string;
  readonly session: string | undefined;
  readonly data: unknown;
}

const body = v.object({
  type: v.string(),
  timestamp: v.string(),
  session: v.nullish(v.string()),
  metadata: v.optional(v.record(v.string(), v.string())),
  data: v.unknown(),
});

/** The event in a body; undefined if it is not an event. */
export function webhookEventOf(id: string, parsed: unknown): WebhookEvent | undefined {
  const read = v.safeParse(body, parsed);
  if (!read.success) return undefined;
  const { type, timestamp: at, session, data, ...noted } = read.output;
  const common = { id, at, session: session ?? undefined, ...noted };
  if (isEventName(type) && (common.session !== undefined || type === 'gap')) {
    const known = v.safeParse(eventData[type], data);
    if (known.success) return { ...common, name: type, data: known.output } as WebhookEvent;
  }
  return { ...common, name: 'other', type, data };
}

/** True for an event with a known name whose data is invalid for this version. */
export function isUnreadable(event: WebhookEvent): boolean {
  return event.name === 'other' && isEventName(event.type);
}
