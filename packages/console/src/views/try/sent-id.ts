import type { Message } from '@chat-web/host';
import { message } from '@chat-web/protocol';
import * as v from 'valibot';

/** The error of a send that may have been carried out, if the id of its message is known. */
const unknownOutcome = v.object({ code: v.literal('outcome_unknown'), id: v.string() });

/** The message in an answer, if there is one. */
export function messageIn(json: unknown): Message | undefined {
  const parsed = v.safeParse(message, json);
  return parsed.success ? parsed.output : undefined;
}

/** The id of the message that was, or may have been, sent, if there is one. */
export function sentIdIn(json: unknown): string | undefined {
  const parsed = v.safeParse(v.union([message, unknownOutcome]), json);
  return parsed.success ? parsed.output.id : undefined;
}

/** True if an ack belongs to this message. The id in an error may lack the chat. */
export function isAckOf(ackId: string, sentId: string): boolean {
  return ackId === sentId || ackId.split('_').includes(sentId);
}
