import type { NoticeDraft, NoticeKind } from '../control/inputs.ts';
import { SimulatorError } from '../errors.ts';
import { chatIdOf } from './account.ts';
import { createMessageId } from './message.ts';
import type { Network } from './network.ts';
import { type AccountRecord, Message, type MessageParts } from './records.ts';

/**
 * Delivers to the account's pages, live, a message that no person has written, and adds it to their history.
 * Entries of the call log are not marked as new by default.
 */
export function deliverNotice(network: Network, account: AccountRecord, draft: NoticeDraft) {
  const { kind, from, isNewMsg = kind !== 'call_log' } = draft;
  const isNewsletter = from.endsWith('@newsletter');
  if (isNewsletter !== (kind === 'newsletter')) {
    throw new SimulatorError(400, `from: must be ${isNewsletter ? 'a person or a group' : '<18 digits>@newsletter'}`);
  }
  const parts = isNewsletter ? channelPost(network, account, from) : notice(network, account, draft);
  const message = new Message({ ...parts, isQuiet: !isNewMsg });
  network.delivery.deliver(message, account);
  return { id: message.id, chat: message.to.kind === 'person' ? from : message.to.id };
}

function channelPost({ newsletters }: Network, account: AccountRecord, id: string): MessageParts {
  const to = newsletters.get(id);
  return { id: createMessageId(account), from: account, to, body: `News of ${to.name}` };
}

function notice(network: Network, account: AccountRecord, draft: NoticeDraft): MessageParts {
  const { kind, from } = draft;
  if (kind === 'membership_approval_request') return joinRequest(network, account, draft);
  const peer = network.peer(from, account, 'from');
  const [writer, to] = peer.kind === 'person' ? [peer, account] : [account, peer];
  const fields = noticeFields(kind, peer.kind === 'person' ? chatIdOf(peer) : account.pn);
  return { id: createMessageId(writer), from: writer, to, type: kind, fields };
}

function joinRequest({ directory, groups }: Network, account: AccountRecord, { from, by }: NoticeDraft): MessageParts {
  const asking = directory.get(by ?? '', 'by');
  const group = groups.get(from, account);
  const notice = { subtype: 'membership_approval_request', recipients: [] } as const;
  return { id: createMessageId(asking), from: asking, to: group, type: 'gp2', notice };
}

/** The fields of such a message in the page: a missed call, a note on encryption, or a change in the chat. */
function noticeFields(kind: NoticeKind, caller: string): Readonly<Record<string, unknown>> {
  const shown = { viewMode: 'VISIBLE' };
  if (kind === 'e2e_notification') return { ...shown, kind: 'e2eNotification', subtype: 'encrypt', templateParams: [] };
  if (kind === 'notification_template') {
    return { ...shown, kind: 'notificationTemplate', subtype: 'disappearing_mode', templateParams: [] };
  }
  const call = { callOutcome: 'Missed', isVideoCall: false, callCreator: caller, callParticipants: [] };
  return { ...shown, kind: 'callLog', ...call };
}
