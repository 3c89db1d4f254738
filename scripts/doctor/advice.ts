import { type ErrorCode, errorText, GatewayError } from '@chat-web/protocol';

/** What to do where a part of the page is missing. */
export const PIN =
  'load an older page: set CHAT_WEB_PAGE_VERSION to a saved version that had it (docs/page-changes.md), and open an issue with the --json output';

const SEE_LOG = "look for the session in the gateway's log, and run doctor again; if it stays, open an issue";

const ADVICE: Partial<Record<ErrorCode, string>> = {
  page_unsupported: PIN,
  unauthorized: 'set CHAT_WEB_TOKEN to the token of the gateway that runs: the token itself, not its hash',
  forbidden: 'set CHAT_WEB_TOKEN, or name the host in CHAT_WEB_ALLOWED_HOSTS',
  session_not_found: 'link the session first (docs/quick-start.md), or check its name',
  session_not_ready: 'wait until GET /sessions/<name>/status says ready, and run doctor again',
  recipient_not_found: 'check the number: country code first, and registered on WhatsApp',
  chat_not_found: 'check the id: GET /sessions/<name>/groups lists the groups of the account',
  not_permitted: 'look at the phone: the network refuses this to the account',
  rate_limited: 'wait some minutes: the network puts the account off',
  media_not_found: 'run doctor again; if it stays, open an issue with the --json output',
  client_failed: `${SEE_LOG} with the --json output`,
  outcome_unknown: `look at the phone whether it happened; ${SEE_LOG}`,
  session_lost: SEE_LOG,
  insufficient_resources: 'free memory or disk, as the text says',
};

/** What to do about an error. */
export function adviceFor(error: unknown): string {
  return (error instanceof GatewayError && ADVICE[error.code]) || `${SEE_LOG} with the --json output`;
}

/** An error as one line, its code first. */
export function errorLine(error: unknown): string {
  return error instanceof GatewayError ? `${error.code}: ${errorText(error)}` : errorText(error);
}
