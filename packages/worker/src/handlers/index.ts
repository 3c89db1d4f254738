import type { Handlers, WorkerOperationName } from '@chat-web/protocol';
import type { ClientPort } from '../client/port.ts';
import { messageHandlers } from './messages.ts';

/** Every operation that a worker answers; one that is missing does not compile. */
export function createHandlers(client: ClientPort): Handlers<WorkerOperationName> {
  return { ...messageHandlers(client) };
}
