import type { GatewayAddress } from '@chat-web/host';
import type { Message, OperationMethods } from '@chat-web/protocol';
import type { SessionEvents } from './events.ts';
import type { Report } from './report.ts';

/** A linked session that is ready, and everything that its checks need. */
export interface LinkedSession {
  readonly report: Report;
  readonly address: GatewayAddress;
  /** Its calls end when the run is interrupted. */
  readonly client: OperationMethods;
  readonly id: string;
  /** The account's own number, as digits. */
  readonly phone: string;
  readonly events: SessionEvents;
  readonly signal: AbortSignal;
}

/** The part of a message's id that is the same on both sides. */
export function keyOf({ id }: Pick<Message, 'id'>): string {
  return id.split('_')[2] ?? '';
}

/** The answer to a send as a message: only a reaction is answered in another form. */
export function asMessage(answer: Awaited<ReturnType<OperationMethods['sendMessage']>>): Message {
  if ('timestamp' in answer) return answer;
  throw new Error('the gateway answered a message as if it were a reaction');
}
