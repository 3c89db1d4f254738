import {
  asGatewayError,
  errorText,
  GatewayError,
  type GatewayMessage,
  type Handlers,
  HEARTBEAT_INTERVAL_MS,
  type WorkerEvent,
  type WorkerOperationName,
  type WorkerOptions,
} from '@chat-web/protocol';
import { neededFor } from './client/capabilities.ts';
import { type Ending, LinkedSession } from './client/linked-session.ts';
import { PageAccess } from './client/page-access.ts';
import { type AssertSupported, dispatch } from './dispatch.ts';
import { GatewayLink } from './gateway-link.ts';
import { createHandlers } from './handlers/index.ts';
import { SpoolShare } from './media/spool-share.ts';

/** Behind the time limits of a stop: whatever hangs, this process ends, and its pipe to the browser closes. */
const EXIT_TIMEOUT_MS = 9_500;

const link = new GatewayLink();
let session: LinkedSession | undefined;
let handlers: Handlers<WorkerOperationName> | undefined;
let assertSupported: AssertSupported = async () => {};
let ending = false;

// The gateway ends its workers itself; a Ctrl+C in a terminal reaches the whole process group.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// Node would open a debugger on loopback, for every user of the machine.
process.on('SIGUSR1', () => {});
// The library has promises that nobody awaits; what they reject with is told by the page's own events.
process.on('unhandledRejection', (reason) => link.log('debug', `unhandled rejection: ${errorText(reason)}`));

link.listen({ onMessage, onGone: () => void end() });
link.send({ type: 'booted' });
setInterval(() => link.send({ type: 'heartbeat' }), HEARTBEAT_INTERVAL_MS).unref();

function onMessage(message: GatewayMessage): void {
  if (ending) {
    if (message.type === 'call') refuse(message.callId);
    return;
  }
  switch (message.type) {
    case 'start':
      start(message.options);
      return;
    case 'call':
      void answer(message.callId, message.operation, message.input);
      return;
    case 'stop':
      void end(message);
  }
}

function start(options: WorkerOptions): void {
  try {
    session = new LinkedSession(options, process.env, report, (level, text) => link.log(level, text));
  } catch (error) {
    report({ name: 'failed', reason: 'BROWSER_NOT_FOUND', detail: errorText(error), retry: false });
    return;
  }
  const page = new PageAccess(session);
  handlers = createHandlers({ page, ...options, spoolShare: new SpoolShare(options.spoolMaxBytes) });
  assertSupported = (operation, input) => page.assertSupported(neededFor(operation, input));
  void session.start();
}

/** Nothing has been sent yet, and nothing will be. */
function refuse(callId: number): void {
  link.send({ type: 'error', callId, code: 'session_not_ready', message: 'the session is ending' });
}

function report(event: WorkerEvent): void {
  link.tell({ type: 'event', event });
  if (event.name === 'failed') void end();
}

async function answer(callId: number, operation: string, input: unknown): Promise<void> {
  try {
    if (!handlers) throw new Error('a call came before the start');
    const found = await dispatch(handlers, operation, input, assertSupported);
    try {
      link.send({ type: 'answer', callId, answer: found });
    } catch (error) {
      // Lists of an account alone can be so large: nothing was changed.
      throw new GatewayError('client_failed', `the answer would be a message ${errorText(error)}`);
    }
  } catch (error) {
    const { code, message, issues, retryAfterSeconds } = asGatewayError(error, 'internal_error');
    const details = { ...(issues && { issues: [...issues] }), ...(retryAfterSeconds && { retryAfterSeconds }) };
    link.send({ type: 'error', callId, code, message, ...details });
  }
}

async function end(how?: Ending): Promise<void> {
  if (ending) return;
  ending = true;
  setTimeout(() => process.exit(1), EXIT_TIMEOUT_MS).unref();
  await session?.stop(how);
  await link.flush();
  process.exit(0);
}
