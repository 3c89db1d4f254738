import type { NoticeDraft, NoticeKind } from '../control/inputs.ts';
import { SimulatorError } from '../errors.ts';
import { chatIdOf } from './account.ts';
import { createMessageId } from './message.ts';
import type { Network } from './network.ts';
import { type AccountRecord, Message } from './records.ts';

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
  const message = isNewsletter ? channelPost(network, account, from) : notice(network, account, draft);
  network.delivery.deliver({ ...message, isQuiet: !isNewMsg }, account);
  return { id: message.id, chat: message.to.kind === 'person' ? from : message.to.id };
}

function channelPost({ newsletters }: Network, account: AccountRecord, id: string): Message {
  const to = newsletters.get(id);
  return new Message({ id: createMessageId(account), from: account, to, body: `News of ${to.name}` });
}

function notice(network: Network, account: AccountRecord, draft: NoticeDraft): Message {
  const { kind, from } = draft;
  if (kind === 'membership_approval_request') return joinRequest(network, account, draft);
  const type = kind === 'newsletter' ? 'chat' : kind;
  const peer = network.peer(from, account, 'from');
  const [writer, to] = peer.kind === 'person' ? [peer, account] : [account, peer];
  const fields = noticeFields(kind, peer.kind === 'person' ? chatIdOf(peer) : account.pn);
  return new Message({ id: createMessageId(writer), from: writer, to, type, fields });
}

function joinRequest({ directory, groups }: Network, account: AccountRecord, { kind, from, by }: NoticeDraft): Message {
  const asking = directory.get(by ?? '', 'by');
  const group = groups.get(from, account);
  const notice = { subtype: kind as 'membership_approval_request', recipients: [] };
  return new Message({ id: createMessageId(asking), from: asking, to: group, type: 'gp2', notice });
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
