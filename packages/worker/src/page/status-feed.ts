import { within } from './delay.ts';
import type { MessageModel, PageMessage, Posted } from './models.ts';
import { Refusal, unreported } from './refusal.ts';
import { isMe, phoneOr } from './tools/identities.ts';
import { uploadMedia } from './tools/library.ts';
import { isDeliverable } from './tools/message-types.ts';
import { isStatus, parsedKey, sentModel } from './tools/messages.ts';
import { posted, statusAction } from './tools/outcomes.ts';

/** A load that takes longer does not stop another one. */
const HANG_MS = 120_000;
const DEFAULT_COLOR = 0xff7acca5;

/**
 * Posts a text to the status feed. The library's own function returns a message with another id, which no ack or
 * deletion matches; the page returns the message, or only lists it.
 */
export async function postTextStatus(
  text: string,
  backgroundColor: string | undefined,
  font: number | undefined,
  timeoutMs: number,
): Promise<Posted> {
  const { Msg } = window.require('WAWebCollections');
  let onAdd: (message: PageMessage) => void = () => {};
  const shown = new Promise<PageMessage>((resolve) => {
    onAdd = (message) => {
      const isOwn = message.id.fromMe && String(message.id.remote) === 'status@broadcast';
      if (isOwn && message.body === text && message.type === 'chat') resolve(message);
    };
    Msg.on('add', onAdd);
  });
  try {
    const status = {
      color: backgroundColor ? Number.parseInt(`ff${backgroundColor.slice(1)}`, 16) : DEFAULT_COLOR,
      font: font ?? 0,
      text,
    };
    const { sendStatusTextMsgAction } = window.require('WAWebSendStatusMsgAction');
    return await statusAction(async (errors) => {
      const result = await sendStatusTextMsgAction(status);
      return posted(result, errors, () => within(shown, timeoutMs));
    });
  } finally {
    Msg.off('add', onAdd);
  }
}

/** Posts a file to the status feed, uploaded as by the library. */
export async function postMediaStatus(
  media: { readonly data: string; readonly mimetype: string; readonly filename: string },
  caption: string | undefined,
  messageId: string | undefined,
): Promise<Posted> {
  const WAWebMsgKey = window.require('WAWebMsgKey');
  const { getMaybeMeLidUser, getMaybeMePnUser } = window.require('WAWebUserPrefsMeUser');
  const { asUserWidOrThrow, createWid } = window.require('WAWebWidFactory');
  const prepared = await uploadMedia(media, { sendToStatus: true });
  const from = asUserWidOrThrow(getMaybeMeLidUser() ?? getMaybeMePnUser());
  const to = createWid('status@broadcast');
  const id = new WAWebMsgKey({
    from,
    to,
    id: messageId ?? (await WAWebMsgKey.newId()),
    participant: from,
    selfDir: 'out',
  });
  const mediaMsgData = {
    ...prepared,
    ...prepared.toJSON?.(),
    id,
    from,
    to,
    author: from,
    ack: 0,
    local: true,
    self: 'out',
    isNewMsg: true,
    t: Math.floor(Date.now() / 1_000),
    body: prepared.preview,
    caption,
    isCaptionByUser: Boolean(caption),
  };
  const { sendStatusMediaMsgAction } = window.require('WAWebSendStatusMsgAction');
  const uploaded = async () => {};
  return statusAction(async (errors) => {
    if (sendStatusMediaMsgAction.length < 2) {
      const result = await sendStatusMediaMsgAction({ mediaMsgData, beforeSend: uploaded });
      return posted(result, errors, () => undefined);
    }
    // Builds until spring 2026 take a message of the page, and a callback before it is sent.
    const { Msg } = window.require('WAWebCollections') as unknown as {
      Msg: { modelClass: new (data: object) => PageMessage };
    };
    const post = new Msg.modelClass(mediaMsgData);
    return posted(await sendStatusMediaMsgAction(post, uploaded), errors, () => post);
  });
}

/** The load of the stored statuses, running or done. */
let load: Promise<unknown> | undefined;

/** The statuses of one person that have not expired, oldest first. */
export interface PersonStatuses {
  readonly from: string | undefined;
  readonly statuses: readonly (MessageModel & { readonly seen: boolean })[];
}

/**
 * Makes the page load its stored statuses once, which it may not do by itself. Does not query the network. Rejects if
 * the page cannot load them, or not in time.
 */
export async function loadStatuses(timeoutMs: number): Promise<void> {
  if (!load) {
    const loading = Promise.resolve().then(() => window.require('WAWebCollections').Status.sync?.());
    load = loading;
    const forget = () => {
      if (load === loading) load = undefined;
    };
    loading.then(() => clearTimeout(hanging), forget);
    const hanging = setTimeout(forget, HANG_MS);
  }
  if ((await within(load, timeoutMs, 'late')) === 'late') throw new Error('the page has not loaded its statuses yet');
}

/** The statuses of other people since that time, in Unix seconds, from the page's memory; the newest poster first. */
export function listStatuses(since: number, maxPeople: number, maxPerPerson: number): PersonStatuses[] {
  const { Status } = window.require('WAWebCollections');
  return Status.getModelsArray()
    .flatMap(({ id, msgs }) => {
      // Groups, channels and the network itself may have statuses as well.
      if (!/^[1-9]\d*@(c\.us|lid)$/.test(String(id)) || isMe(id)) return [];
      const found = msgs
        .getModelsArray()
        .filter((message) => (message.t ?? 0) > since && !message.id.fromMe && isDeliverable(message))
        .sort((one, other) => (one.t ?? 0) - (other.t ?? 0))
        .slice(-maxPerPerson);
      const statuses = found.flatMap((message) => {
        const model = sentModel(message);
        return model ? [{ ...model, seen: message.ack >= 3 }] : [];
      });
      return statuses.length > 0 ? [{ from: phoneOr(id), statuses }] : [];
    })
    .sort((one, other) => (other.statuses.at(-1)?.t ?? 0) - (one.statuses.at(-1)?.t ?? 0))
    .slice(0, maxPeople);
}

/** Marks a status as seen. False if the page does not have it. */
export async function markStatusSeen(messageId: string): Promise<boolean> {
  const { Status } = window.require('WAWebCollections');
  const key = parsedKey(messageId);
  if (!isStatus(key)) return false;
  for (const status of Status.getModelsArray()) {
    // The author in the id may be a number or a hidden id.
    const message = status.msgs.getModelsArray().find(({ id }) => String(id) === messageId || id.id === key.id);
    if (!message) continue;
    if (message.id.fromMe) throw new Refusal('not_permitted', "the status is the account's own");
    if (message.ack >= 3) return true;
    // Not with the model's method, which hides the result. Without the option, newer builds do not send a receipt.
    const { sendReadStatus } = window.require('WAWebContactStatusBridge');
    const isSent = await sendReadStatus(message, Math.floor(Date.now() / 1_000), { sendReceipt: true });
    if (isSent !== true) throw unreported('the network has the receipt');
    status.handleReadStatus?.(message.id);
    return true;
  }
  return false;
}
