import type { PageModules } from '../contract/index.ts';
import { within } from '../delay.ts';
import { dropOldest } from '../drop-oldest.ts';
import type {
  HandedForward,
  MessageModel,
  PageChat,
  PageDraft,
  PageMessage,
  PageSendResult,
  PageSignal,
  Posted,
  SendMark,
  SendOutcome,
  SendPlan,
  SendRefusal,
  SendState,
} from '../models.ts';
import { limitSeconds, Refusal } from '../refusal.ts';
import { optional, wrapExport } from './identities.ts';
import { sentModel } from './messages.ts';

/** A message that is not confirmed within this time is signalled before its answer. */
const SLOW_MS = 500;
const MIN_ACK_MS = 500;
/** The network's code for too many new chats in a month. */
const MONTHLY_LIMIT = 475;

// The page returns a promise for each send, which the library discards.
const outcomes = new Map<string, Promise<SendOutcome>>();

// With other names the network may have the message: a lost answer may have been a success.
const refusals = new Set(['ERROR_UPLOAD', 'ERROR_CANCELLED', 'ERROR_RATE_LIMIT']);

/** The outcome of a send, from the page's own result. */
export function readOutcome(result: unknown): SendOutcome {
  const { messageSendResult, ackErrorCode } = (result ?? {}) as Record<string, unknown>;
  const name = messageSendResult === undefined ? undefined : String(messageSendResult);
  const code = Number(ackErrorCode) || undefined;
  if (name === 'OK') return { is: 'sent' };
  return { is: code !== undefined || refusals.has(name ?? '') ? 'refused' : 'unknown', name, code };
}

const FORGET_OUTCOME_MS = 120_000;

/** The page's own result of a send, when it has one. Never rejects; undefined if it is unknown. */
export function outcomeOf(sent: PageMessage | undefined): Promise<SendOutcome> | undefined {
  return sent && outcomes.get(String(sent.id));
}

const FORGET_FORWARD_MS = 600_000;

const handed = new Map<string, string>();

const MAX_OWN = 2_000;

const own = new Set<string>();

const forwards = new Map<string, { readonly mark: SendMark; onHanded(handed: HandedForward): void }>();

/** Replaces the id that the library generated for a marked message. Returns the mark. */
function identify(chat: PageChat, message: PageDraft): SendMark | undefined {
  const { id, from, to, parentMsgKey } = message;
  // After a message, the page also forwards hidden parts of it, such as its HD copy.
  const isPart = parentMsgKey?.id !== undefined && own.has(parentMsgKey.id);
  const isForward = (message.forwardedFromWeb === true || message.multicast === true) && !isPart;
  const mark = message.chatWebMark ?? (isForward ? forwards.get(String(chat.id))?.mark : undefined);
  delete message.chatWebMark;
  if (mark?.messageId === undefined) return mark;
  const MsgKey = window.require('WAWebMsgKey');
  const { participant } = id;
  const key = new MsgKey({ from, to, id: mark.messageId, participant, selfDir: 'out' });
  if (window.require('WAWebCollections').Msg.get(String(key))) throw new Error('the page has this message already');
  message.id = key;
  return mark;
}

type AddAndSend = PageModules['WAWebSendMsgChatAction']['addAndSendMsgToChat'];

let addAndSend: AddAndSend | undefined;

const noted: AddAndSend = (chat, message, ...more) => {
  const mark = identify(chat, message);
  // The part of the id that does not depend on whether the chat has a number or a hidden id.
  const ownId = message.id.id ?? String(message.id);
  own.add(ownId);
  dropOldest(own, MAX_OWN);
  const promises = addAndSend?.call(optional('WAWebSendMsgChatAction'), chat, message, ...more) ?? [];
  const key = String(message.id);
  signal({ is: 'own', id: key });
  const outcome = Promise.resolve(promises[1]).then(readOutcome, () => readOutcome(undefined));
  outcomes.set(key, outcome);
  setTimeout(() => outcomes.delete(key), FORGET_OUTCOME_MS);
  if (mark) {
    handed.set(mark.call, key);
    setTimeout(() => handed.delete(mark.call), FORGET_OUTCOME_MS);
    signal({ is: 'handed', call: mark.call, id: key });
    const forward = forwards.get(String(chat.id));
    if (forward?.mark === mark) {
      forwards.delete(String(chat.id));
      const added = Promise.resolve(promises[0]) as Promise<PageMessage | undefined>;
      added.catch(() => {}); // `outcome` reports the failure.
      forward.onHanded({ id: key, added });
    }
  }
  return promises;
};

/**
 * True if we can choose the id of a message, since messages pass `noted`. If this build freezes its modules, they do
 * not: then only acks show the outcome.
 */
export function canIdentify(): boolean {
  return wrapExport(optional('WAWebSendMsgChatAction'), 'addAndSendMsgToChat', noted, (own) => {
    addAndSend = own;
  });
}

/** Refuses the call if we cannot choose the id of a message. */
export function requireChoice(): void {
  if (canIdentify()) return;
  throw new Refusal(
    'page_unsupported',
    'nothing was sent: this build of the page does not accept our message id, which an Idempotency-Key needs',
  );
}

/** The refusal of a send that has not begun in time. */
export function tooBusy(): Refusal {
  return new Refusal('client_failed', 'nothing was sent: the page was busy for too long');
}

/** Waits until the network has confirmed or refused a message: by its ack, or by the page's own result. */
export async function untilConfirmed(sent: PageMessage, timeoutMs: number): Promise<SendState> {
  if (sent.ack > 0) return { ack: sent.ack };
  const { Msg } = window.require('WAWebCollections');
  let onAck: (message: PageMessage) => void = () => {};
  const acked = new Promise<SendState>((resolve) => {
    onAck = (message) => {
      if (message !== sent || sent.ack === 0) return;
      if (sent.ack > 0) resolve({ ack: sent.ack });
      // A negative ack is a refusal by the network. In newer builds, the result of the send has the cause.
      else setTimeout(() => resolve({ ack: sent.ack, refused: sendRefusal(undefined, ackCode(sent)) }), 500);
    };
    Msg.on('change:ack', onAck);
    if (sent.ack < 0) onAck(sent);
  });
  const answered = new Promise<SendState>((resolve) => {
    void outcomeOf(sent)?.then(({ is, name, code }) => {
      // If it is unknown, the page may retry it, or the network may have it: only an ack decides.
      if (is === 'sent') resolve({ ack: Math.max(1, sent.ack) });
      if (is === 'refused') resolve({ ack: -1, refused: sendRefusal(name, code) });
    });
  });
  try {
    return (await within(Promise.race([acked, answered]), timeoutMs)) ?? { ack: sent.ack };
  } finally {
    Msg.off('change:ack', onAck);
  }
}

/** Posts and deletions of the account's statuses in progress, and the errors that the page reports meanwhile. */
const statusActions = new Set<{ errors: unknown[] }>();

type OnFailure = NonNullable<PageModules['WAWebPostSendStatusFailure']['postStatusSendFailure']>;

let report: OnFailure | undefined;

const noting: OnFailure = (...failure) => {
  for (const { errors } of statusActions) errors.push(failure[0]);
  return report?.apply(optional('WAWebPostSendStatusFailure'), failure);
};

/** Runs a post or a deletion of a status. The page reports an error without naming the message: `errors` has all. */
export async function statusAction<T>(run: (errors: readonly unknown[]) => Promise<T>): Promise<T> {
  wrapExport(optional('WAWebPostSendStatusFailure'), 'postStatusSendFailure', noting, (own) => {
    report = own;
  });
  const action = { errors: [] };
  statusActions.add(action);
  try {
    return await run(action.errors);
  } finally {
    statusActions.delete(action);
  }
}

/** Deletes one of the account's statuses for everyone. False: the page could not send that, or not to all. */
export async function revokeStatus(message: PageMessage): Promise<boolean> {
  const { Status } = window.require('WAWebCollections');
  const { sendStatusRevokeMsgAction: revoke } = window.require('WAWebRevokeStatusAction');
  return statusAction(async (errors) => {
    // The page removes it from the feed, which may not be loaded.
    await revoke(Status.getMyStatus() ?? { revokeMsgs: () => {} }, message);
    return errors.length === 0;
  });
}

/** True for a message that the page has sent since it was loaded. */
export function isOwn({ id }: PageMessage): boolean {
  return own.has(id.id ?? String(id));
}

/**
 * Applies the mark to the next message that the page forwards to a chat; resolves when it is handed over. Undefined
 * while another one is expected there.
 */
export function expectForward(chat: PageChat, mark: SendMark): Promise<HandedForward> | undefined {
  const key = String(chat.id);
  if (forwards.has(key)) return undefined;
  setTimeout(() => endForward(chat, mark), FORGET_FORWARD_MS);
  return new Promise((resolve) => forwards.set(key, { mark, onHanded: resolve }));
}

/** Stops expecting the message of the mark. */
export function endForward(chat: PageChat, mark: SendMark): void {
  if (forwards.get(String(chat.id))?.mark === mark) forwards.delete(String(chat.id));
}

/** The outcome of a message that was handed over; no state if it cannot be read in this build. */
export async function answerOf(
  sent: PageMessage,
  { call, answerBy, ackTimeoutMs }: Pick<SendPlan, 'call' | 'answerBy' | 'ackTimeoutMs'>,
): Promise<{ readonly model?: MessageModel; readonly state?: SendState }> {
  const model = sentModel(sent);
  if (!model) return {};
  const slow = setTimeout(() => signal({ is: 'sent', call, id: model.id }), SLOW_MS);
  const timeoutMs = Math.max(MIN_ACK_MS, Math.min(ackTimeoutMs, answerBy - Date.now()));
  try {
    const { Msg } = window.require('WAWebCollections');
    return { model, state: await untilConfirmed(Msg.get(model.id) ?? sent, timeoutMs) };
  } catch {
    return { model }; // It was handed over, even if this build lacks a part.
  } finally {
    clearTimeout(slow);
  }
}

/** The cause of a negative ack, as far as the page keeps it. */
export function ackCode({ errorCode }: Pick<PageMessage, 'errorCode'>): number | undefined {
  return errorCode === 'UserReachedMaxMonthlyLimitForNewMessages' ? MONTHLY_LIMIT : undefined;
}

function sendRefusal(name: string | undefined, code: number | undefined): SendRefusal {
  return { name, code, retryAfterSeconds: limitSeconds(refusalCode({ name, code }) ?? 0) };
}

/** The network's code for a refused send: the page has a name of its own for one of them. */
export function refusalCode({ name, code }: Pick<SendOutcome, 'name' | 'code'>): number | undefined {
  return code ?? (name === 'ERROR_RATE_LIMIT' ? 429 : undefined);
}

/** The id of the marked message of a call, once it was handed over. */
export function handedId(call: string): string | undefined {
  return handed.get(call);
}

/** Signals something to the worker. There is no answer. */
export function signal(what: PageSignal): void {
  window.chatWebSignal(JSON.stringify(what));
}

/** The outcome of a status post, from the page's own result; calls `findMessage` if that lacks the message. */
export async function posted(
  result: PageSendResult | undefined,
  errors: readonly unknown[],
  findMessage: () => Promise<PageMessage | undefined> | PageMessage | undefined,
): Promise<Posted> {
  const { is, name, code } = readOutcome(result);
  if (is === 'refused') return { refused: sendRefusal(name, code) };
  if (name !== undefined && is === 'unknown') {
    // The page returns the same for a refusal of the network and for a lost answer; their errors differ.
    const [error, ...others] = errors;
    const { ackErrorCode } = (error ?? {}) as { readonly ackErrorCode?: unknown };
    const isRefused = others.length === 0 && typeof ackErrorCode === 'number';
    return isRefused ? { refused: sendRefusal(name, ackErrorCode) } : undefined;
  }
  const message = result?.msg ?? (await findMessage());
  const model = message && sentModel(message);
  return model && { message: model };
}
