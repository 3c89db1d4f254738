import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, pagesDirOf } from '@chat-web/gateway/tools';
import { closesNewChats, operations, type SessionView } from '@chat-web/protocol';
import { PIN } from './advice.ts';
import type { Report } from './report.ts';

export interface ContractOptions {
  readonly pinned: string | undefined;
  /** False on the login page, where not all parts are loaded. */
  readonly isLinked: boolean;
}

export const DIALOG = 'page.dialog';

export const CHECK_PIN = 'check the saved document, or unset CHAT_WEB_PAGE_VERSION';
/** What to do about findings that are not missing parts of the page. */
const ADVICE: Readonly<Record<string, string>> = {
  [DIALOG]: 'restart the session, and open an issue with the --json output, which has the text of the dialog',
  'page.version': CHECK_PIN,
};

/** No session works without these, although they are not operations. */
const VITAL = new Set(['session', 'link', 'message', 'message_ack', 'missedMessages']);

/** Reports the page's version and what it lacks; on the login page in one line, because more may load after the link. */
export function reportContract(
  report: Report,
  { pageVersion, pageTestIds, degraded = [] }: SessionView,
  { pinned, isLinked }: ContractOptions,
): void {
  reportVersion(report, pageVersion, pinned);
  if (pageTestIds !== undefined) reportTestIds(report, pageTestIds);
  const early = isLinked ? [] : degraded.filter(({ capability }) => capability !== 'link');
  reportDegraded(
    report,
    degraded.filter((one) => !early.includes(one)),
  );
  if (early.length > 0) {
    const detail = early.map(({ capability, reason }) => `${capability} (${partsIn(reason)})`).join(', ');
    const todo = 'it may load after the link: run doctor with --session then';
    report.add({ check: 'contract', result: 'warn', detail: `not on the login page: ${detail}`, todo });
  } else if (degraded.length === 0) {
    const where = isLinked ? 'of this session' : 'at the login';
    report.add({ check: 'contract', result: 'ok', detail: `the page ${where} has everything that is used` });
  }
}

export function reportDegraded(report: Report, degraded: NonNullable<SessionView['degraded']>): void {
  for (const { capability, reason } of degraded) {
    const check = capability === DIALOG ? 'dialogs' : `page: ${capability}`;
    const todo = ADVICE[capability] ?? (reason.includes(' lacks ') ? PIN : "check the phone, and the gateway's log");
    report.add({ check, result: isNeeded(capability) ? 'fail' : 'warn', detail: reason, todo });
  }
}

/** The missing parts that a reason names, without the sentence around them. */
function partsIn(reason: string): string {
  return /^the page lacks (.*?)(?: \(since .*\))?$/.exec(reason)?.[1] ?? reason;
}

/** True for operations, and for what every session needs. A linked session does not need pairing codes. */
function isNeeded(capability: string): boolean {
  if (capability === 'requestPairingCode') return false;
  const [operation = ''] = capability.split('.');
  return VITAL.has(capability) || Object.hasOwn(operations, operation);
}

function reportVersion(report: Report, version: string | undefined, pinned: string | undefined): void {
  const check = 'page';
  if (version === undefined) report.add({ check, result: 'warn', detail: 'the page did not report its version' });
  else if (pinned === undefined) report.add({ check, result: 'ok', detail: version });
  else if (pinned === version) report.add({ check, result: 'ok', detail: `${version}, as CHAT_WEB_PAGE_VERSION says` });
  else {
    const detail = `${version}, but CHAT_WEB_PAGE_VERSION says ${pinned}`;
    report.add({ check, result: 'warn', detail, todo: CHECK_PIN });
  }
}

function reportTestIds(report: Report, hasTestIds: boolean): void {
  const without = 'none: screens for a passkey are followed by the events of the page, and dialogs by their titles';
  report.add({ check: 'test ids', result: 'note', detail: hasTestIds ? 'the page has them' : without });
}

/** Reports WhatsApp's limits on the account. */
export function reportLimits(report: Report, { limits }: SessionView): void {
  const check = 'limits';
  if (limits === undefined) {
    report.add({ check, result: 'warn', detail: 'the page did not report them', todo: PIN });
    return;
  }
  const texts = limits.map(({ kind, until, remaining }) => {
    const what = kind === 'time_lock' ? 'it cannot write to new people' : `${remaining} new chats are left`;
    return until === undefined ? what : `${what} until ${until}`;
  });
  if (limits.some(closesNewChats))
    report.add({ check, result: 'warn', detail: texts.join(', '), todo: 'write only to people who write first' });
  else report.add({ check, result: 'ok', detail: texts.join(', ') || 'WhatsApp does not limit the account' });
}

const SUFFIX = '.html';
const MAX_NAMED = 5;

/** Lists the saved pages that can be pinned instead of this one, newest first, if they are on this machine. */
export function reportSavedPages(report: Report, config: Config, present: string | undefined): void {
  const versions = savedVersions(pagesDirOf(config));
  if (versions.length === 0) return; // None yet, or the gateway runs elsewhere.
  const others = versions.filter((version) => version !== present).slice(0, MAX_NAMED);
  const detail =
    others.length > 0 ? `${others.join(', ')} can be pinned by CHAT_WEB_PAGE_VERSION` : 'only the current one';
  report.add({ check: 'saved pages', result: 'note', detail });
}

function savedVersions(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(SUFFIX));
    const dated = names.map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }));
    return dated.sort((a, b) => b.at - a.at).map(({ name }) => name.slice(0, -SUFFIX.length));
  } catch {
    return [];
  }
}
