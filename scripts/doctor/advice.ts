import { type ErrorCode, errorText, GatewayError } from '@chat-web/protocol';
import { reasonOf } from '../command-line.ts';

export const PIN =
  'load an older page: set CHAT_WEB_PAGE_VERSION to a saved version that had it (docs/page-changes.md), and open an issue with the --json output';

const SEE_LOG = "search the gateway's log for the session, and run doctor again; if it persists, open an issue";

const ADVICE: Partial<Record<ErrorCode, string>> = {
  page_unsupported: PIN,
  unauthorized: 'set CHAT_WEB_TOKEN to the token of the running gateway: the token itself, not its hash',
  forbidden: 'set CHAT_WEB_TOKEN, or add the host to CHAT_WEB_ALLOWED_HOSTS',
  session_not_found: 'link the session first (docs/quick-start.md), or check its name',
  session_moved: 'run doctor on the gateway that has it; to take it back, or to delete it here, see docs/moving.md',
  session_not_ready: 'wait until GET /sessions/<name>/status says ready, and run doctor again',
  recipient_not_found: 'check the number: country code first, and registered on WhatsApp',
  chat_not_found: 'check the id: GET /sessions/<name>/groups lists the groups of the account',
  not_permitted: 'check the phone: the network does not allow this for the account',
  rate_limited: 'wait a few minutes: the network rate limits the account',
  media_not_found: 'run doctor again; if it persists, open an issue with the --json output',
  client_failed: `${SEE_LOG} with the --json output`,
  outcome_unknown: `check on the phone whether it happened; ${SEE_LOG}`,
  session_lost: SEE_LOG,
  insufficient_resources: 'free memory or disk space, as the text says',
};

export function adviceFor(error: unknown): string {
  return (error instanceof GatewayError && ADVICE[error.code]) || `${SEE_LOG} with the --json output`;
}

/** Why a request failed: `fetch` has that in the cause of its error. */
export function causeText(error: unknown): string {
  return errorText(error instanceof Error && error.cause ? error.cause : error);
}

/** An error as one line, its code first. */
export function errorLine(error: unknown): string {
  return error instanceof GatewayError ? `${error.code}: ${reasonOf(error)}` : reasonOf(error);
}
