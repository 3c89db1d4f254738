import type { Socket } from 'node:net';
import {
  asGatewayError,
  errorText,
  GatewayError,
  type GatewayMessage,
  HEARTBEAT_INTERVAL_MS,
  type WorkerEvent,
  type WorkerOptions,
} from '@chat-web/protocol';
import type { Launch } from './client/browser-process.ts';
import { neededFor } from './client/capabilities.ts';
import { LinkedSession, type StopOptions } from './client/linked-session.ts';
import { PageAccess } from './client/page-access.ts';
import type { WorkerHandlers } from './client/port.ts';
import { type AssertSupported, dispatch } from './dispatch.ts';
import { GatewayLink } from './gateway-link.ts';
import { createHandlers } from './handlers/index.ts';
import { SpoolShare } from './media/spool-share.ts';

/**
 * Longer than the time limits of a stop: even if something hangs, this process exits, and its pipe to the browser
 * closes.
 */
const EXIT_TIMEOUT_MS = 9_500;
/** After a failure, or when the gateway is gone: no caller waits. */
const STOP_AFTER_FAILURE: StopOptions = { unlink: false, timeoutMs: 3_000 };

interface StartedSession {
  readonly session: LinkedSession;
  readonly handlers: WorkerHandlers;
  readonly assertSupported: AssertSupported;
}

type Call = Extract<GatewayMessage, { type: 'call' }>;

let link: GatewayLink;
let launched: Launch | undefined;
let pageProgram: string;
let started: StartedSession | undefined;
let isStopping = false;
/** Intervals of heartbeats without a message of the gateway. Time in which this process did not run counts as one. */
let silentIntervals = 0;

/**
 * Runs one session as the gateway requests, and exits the process. `incoming`: the channel from the gateway, including
 * its first message; `launch`: the browser that this message requested; `program`: the path of the page program.
 */
export function run(incoming: Socket, launch: Launch | undefined, program: string): void {
  link = new GatewayLink(incoming);
  launched = launch;
  pageProgram = program;
  // The library leaves promises unhandled; events of the page also report these failures.
  process.on('unhandledRejection', (reason) =>
    link.log('debug', 'rejection not handled', { error: errorText(reason) }),
  );
  link.listen({ onMessage, onGone: () => void stop(STOP_AFTER_FAILURE) });
  link.send({ type: 'heartbeat' });
  setInterval(() => link.send({ type: 'heartbeat' }), HEARTBEAT_INTERVAL_MS).unref();
}

function onMessage(message: GatewayMessage): void {
  silentIntervals = 0;
  switch (message.type) {
    case 'heartbeat':
      return;
    case 'start':
      if (!isStopping) start(message.options);
      return;
    case 'call':
      void answer(message);
      return;
    case 'report_again':
      started?.session.reportAgain(message.since);
      return;
    case 'show_qr':
      started?.session.showQr();
      return;
    case 'stop':
      void stop(message);
  }
}

function start(options: WorkerOptions): void {
  if (!launched || started) return; // Not the first message.
  const { gatewayTimeoutMs } = options;
  if (gatewayTimeoutMs !== undefined) endIfSilent(gatewayTimeoutMs);
  if ('failed' in launched) {
    const { failed: reason, error, retry } = launched;
    report({ name: 'failed', reason, detail: errorText(error), retry });
    return;
  }
  const session = new LinkedSession({ options, pageProgram, browser: launched.browser, report, log: link.log });
  const page = new PageAccess(session);
  started = {
    session,
    handlers: createHandlers({ page, linking: session, ...options, spoolShare: new SpoolShare(options.spoolMaxBytes) }),
    assertSupported: (operation, input) => page.assertSupported(neededFor(operation, input)),
  };
  void session.start();
}

function endIfSilent(timeoutMs: number): void {
  setInterval(() => {
    silentIntervals += 1;
    if (silentIntervals * HEARTBEAT_INTERVAL_MS > timeoutMs) void stop(STOP_AFTER_FAILURE);
  }, HEARTBEAT_INTERVAL_MS).unref();
}

function report(event: WorkerEvent): void {
  link.report(event);
  if (event.name === 'failed') void stop(STOP_AFTER_FAILURE);
}

async function answer({ callId, operation, input, attempt }: Call): Promise<void> {
  try {
    // Nothing was sent to the network yet.
    if (isStopping) throw new GatewayError('session_not_ready', 'the session is stopping');
    if (!started) throw new GatewayError('internal_error', 'the worker got a call before its start');
    const found = await dispatch(started.handlers, operation, input, {
      assertSupported: started.assertSupported,
      attempt: { ...attempt, onSending: (id) => link.send({ type: 'sending', callId, id }) },
    });
    try {
      link.answer({ callId, operation }, found);
    } catch (error) {
      // Only lists can be this large: nothing was changed.
      throw new GatewayError('client_failed', `the response is too large: a message ${errorText(error)}`);
    }
  } catch (error) {
    const { code, message, issues, retryAfterSeconds, id } = asGatewayError(error, 'internal_error');
    const details = { ...(issues && { issues: [...issues] }), ...(retryAfterSeconds && { retryAfterSeconds }) };
    link.send({ type: 'error', callId, code, message, ...details, ...(id !== undefined && { id }) });
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
