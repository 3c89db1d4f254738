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
import { LinkedSession, type StopOptions } from './client/linked-session.ts';
import { PageAccess } from './client/page-access.ts';
import { type AssertSupported, dispatch } from './dispatch.ts';
import { GatewayLink } from './gateway-link.ts';
import { createHandlers } from './handlers/index.ts';
import { SpoolShare } from './media/spool-share.ts';

/** Longer than the time limits of a stop: whatever hangs, this process exits, and its pipe to the browser closes. */
const EXIT_TIMEOUT_MS = 9_500;
/** After a failure, or when the gateway is gone: no caller waits. */
const STOP_AFTER_FAILURE: StopOptions = { unlink: false, timeoutMs: 3_000 };

/** A session that was started, and what it takes to answer its calls. */
interface StartedSession {
  readonly session: LinkedSession;
  readonly handlers: Handlers<WorkerOperationName>;
  readonly assertSupported: AssertSupported;
}

const link = new GatewayLink();
let started: StartedSession | undefined;
let isStopping = false;

// The gateway stops its workers itself; a Ctrl+C in a terminal reaches the whole process group.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// Node would open a debugger on loopback, for every user of the machine.
process.on('SIGUSR1', () => {});
// The library leaves promises unhandled; their failures are reported by events of the page, too.
process.on('unhandledRejection', (reason) => link.log('debug', 'rejection not handled', { error: errorText(reason) }));

link.listen({ onMessage, onGone: () => void stop(STOP_AFTER_FAILURE) });
link.send({ type: 'booted' });
setInterval(() => link.send({ type: 'heartbeat' }), HEARTBEAT_INTERVAL_MS).unref();

function onMessage(message: GatewayMessage): void {
  switch (message.type) {
    case 'start':
      if (!isStopping) start(message.options);
      return;
    case 'call':
      void answer(message.callId, message.operation, message.input);
      return;
    case 'stop':
      void stop(message);
  }
}

function start(options: WorkerOptions): void {
  let session: LinkedSession;
  try {
    session = new LinkedSession(options, process.env, report, link.log);
  } catch (error) {
    report({ name: 'failed', reason: 'BROWSER_NOT_FOUND', detail: errorText(error), retry: false });
    return;
  }
  const page = new PageAccess(session);
  started = {
    session,
    handlers: createHandlers({ page, ...options, spoolShare: new SpoolShare(options.spoolMaxBytes) }),
    assertSupported: (operation, input) => page.assertSupported(neededFor(operation, input)),
  };
  void session.start();
}

function report(event: WorkerEvent): void {
  link.report(event);
  if (event.name === 'failed') void stop(STOP_AFTER_FAILURE);
}

async function answer(callId: number, operation: string, input: unknown): Promise<void> {
  try {
    // Nothing was sent to the network yet.
    if (isStopping) throw new GatewayError('session_not_ready', 'the session is stopping');
    if (!started) throw new GatewayError('internal_error', 'the worker got a call before its start');
    const found = await dispatch(started.handlers, operation, input, started.assertSupported);
    try {
      link.send({ type: 'answer', callId, answer: found });
    } catch (error) {
      // Only lists of an account can be this large: nothing was changed.
      throw new GatewayError('client_failed', `the answer is too large: a message ${errorText(error)}`);
    }
  } catch (error) {
    const { code, message, issues, retryAfterSeconds } = asGatewayError(error, 'internal_error');
    const details = { ...(issues && { issues: [...issues] }), ...(retryAfterSeconds && { retryAfterSeconds }) };
    link.send({ type: 'error', callId, code, message, ...details });
  }
}

async function stop(options: StopOptions): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  setTimeout(() => process.exit(1), EXIT_TIMEOUT_MS).unref();
  await started?.session.stop(options);
  await link.flush();
  process.exit(0);
}
