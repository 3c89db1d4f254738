import type { Message } from '@chat-web/host';
import { message } from '@chat-web/protocol';
import * as v from 'valibot';

/** The error of a send that may have been carried out, where its message is known. */
const unknownOutcome = v.object({ code: v.literal('outcome_unknown'), id: v.string() });

/** The message that an answer has. Undefined: it has none. */
export function messageIn(json: unknown): Message | undefined {
  const parsed = v.safeParse(message, json);
  return parsed.success ? parsed.output : undefined;
}

/** The id of the message that was sent, or may have been. Undefined: none was. */
export function sentIdIn(json: unknown): string | undefined {
  const parsed = v.safeParse(v.union([message, unknownOutcome]), json);
  return parsed.success ? parsed.output.id : undefined;
}

/** True if an ack is of that message. The id of an error can be the part behind the chat. */
export function isAckOf(ackId: string, sentId: string): boolean {
  return ackId === sentId || ackId.split('_').includes(sentId);
}
