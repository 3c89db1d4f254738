import { operations, type SessionView } from '@chat-web/protocol';
import { PIN } from './advice.ts';
import type { Report } from './report.ts';

/** What counts for the judgement. */
export interface ContractOptions {
  /** The version that was chosen by CHAT_WEB_PAGE_VERSION. */
  readonly pinned: string | undefined;
  /** False on the login page, where not all parts have come. */
  readonly isLinked: boolean;
}

/** Under this name a dialog is told of that stays open. */
export const DIALOG = 'page.dialog';

/** What to do about a page that is not the one that was pinned. */
export const CHECK_PIN = 'check the saved document, or unset CHAT_WEB_PAGE_VERSION';
/** What to do about what is no part of the page. */
const ADVICE: Readonly<Record<string, string>> = {
  [DIALOG]: 'restart the session, and open an issue with the --json output, which has the text of the dialog',
  'page.version': CHECK_PIN,
};

/** A session without these is of no use, although no operation bears their name. */
const VITAL = new Set(['session', 'link', 'message', 'message_ack', 'missedMessages']);

/** Reports what the page is, and what it lacks: on the login page all at once, for more may come with the link. */
export function reportContract(
  report: Report,
  { pageVersion, degraded = [] }: SessionView,
  { pinned, isLinked }: ContractOptions,
): void {
  reportVersion(report, pageVersion, pinned);
  const early = isLinked ? [] : degraded.filter(({ capability }) => capability !== 'link');
  reportDegraded(
    report,
    degraded.filter((one) => !early.includes(one)),
  );
  if (early.length > 0) {
    const detail = early.map(({ capability, reason }) => `${capability} (${partsIn(reason)})`).join(', ');
    const todo = 'it may come with the link: run doctor with --session then';
    report.add({ check: 'contract', result: 'warn', detail: `not on the login page: ${detail}`, todo });
  } else if (degraded.length === 0) {
    const where = isLinked ? 'of this session' : 'at the login';
    report.add({ check: 'contract', result: 'ok', detail: `the page ${where} has all that is used` });
  }
}

/** A finding for each thing that a session cannot do. */
export function reportDegraded(report: Report, degraded: NonNullable<SessionView['degraded']>): void {
  for (const { capability, reason } of degraded) {
    const check = capability === DIALOG ? 'dialogs' : `page: ${capability}`;
    const todo =
      ADVICE[capability] ?? (reason.includes(' lacks ') ? PIN : "look at the phone, and at the gateway's log");
    report.add({ check, result: isNeeded(capability) ? 'fail' : 'warn', detail: reason, todo });
  }
}

/** What a reason names as missing, without the sentence around it. */
function partsIn(reason: string): string {
  return /^the page lacks (.*?)(?: \(since .*\))?$/.exec(reason)?.[1] ?? reason;
}

/** True for what an operator would miss: an operation, or what every session lives on. */
function isNeeded(capability: string): boolean {
  const [operation = ''] = capability.split('.');
  return VITAL.has(capability) || Object.hasOwn(operations, operation);
}

function reportVersion(report: Report, version: string | undefined, pinned: string | undefined): void {
  const check = 'page';
  if (version === undefined) report.add({ check, result: 'warn', detail: 'the page did not say its version' });
  else if (pinned === undefined) report.add({ check, result: 'ok', detail: version });
  else if (pinned === version) report.add({ check, result: 'ok', detail: `${version}, as CHAT_WEB_PAGE_VERSION says` });
  else {
    const detail = `${version}, but CHAT_WEB_PAGE_VERSION says ${pinned}`;
    report.add({ check, result: 'warn', detail, todo: CHECK_PIN });
  }
}
