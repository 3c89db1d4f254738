import { createMsg, msgKeyOf } from '../message-conversion.ts';
import { reactionsOf } from '../models/add-ons.ts';
import { type Msg, messages } from '../models/message.ts';
import { MsgKey } from '../msg-key.ts';
import type { Page } from '../page.ts';
import { recordAction } from '../records.ts';
import type { Modules } from '../registry.ts';
import { createWid, type Wid } from '../wid.ts';
import type { WireReceipt } from '../wire.ts';

interface Find {
  readonly anchor: MsgKey | { readonly remote: Wid };
  readonly count: number;
  readonly direction: 'before' | 'after';
}

const pinSeconds: Readonly<Record<string, number>> = { OneDay: 86_400, SevenDays: 604_800, ThirtyDays: 2_592_000 };

/** What this page has pinned or unpinned, by the message. */
const pins = new Map<string, object>();

/** Queries of the page's database, and the marks stored there. */
export function messageQueryModules({ connection }: Page): Modules {
  return {
    WAWebDBMessageFindLocal: {
      // Rows of the database, with the page's keys and ids: not models.
      msgFindByDirection: async ({ anchor, count, direction }: Find) => {
        const id = anchor instanceof MsgKey ? anchor.id : undefined;
        if (id === undefined && direction === 'after') return { messages: [], status: 200 };
        const where = id === undefined ? {} : { [direction]: id };
        const found = await connection.request('history', { chat: String(anchor.remote), ...where, limit: count });
        if (found === null) return { messages: [], status: 404 };
        const rows = found.map((message) => ({ ...createMsg(message, false).serialize(), id: msgKeyOf(message) }));
        return { messages: rows, status: 200 };
      },
      msgFindSearch: async (search: Search) => {
        const { messages, eof } = searchLoadedMessages(search);
        const rows = messages.map((msg) => ({ ...msg.serialize(), id: msg.get('id') }));
        return { messages: rows, eof, canceled: false, status: rows.length > 0 ? 200 : 404 };
      },
    },
    WAWebDBGetReactions: { getReactions: async (id: string) => reactionsOf(id) },
    WAWebApiMessageInfoStore: {
      queryMsgInfo: async (key: MsgKey) => receiptInfo(await connection.request('receipts', { id: key.id }), key),
    },
    WAWebPinInChatCollection: {
      PinInChatCollection: { getByParentMsgKey: (key: MsgKey) => pins.get(String(key)) },
    },
    WAWebSendPinMessageAction: {
      // The page stores the pin before the network accepts it; its ack follows.
      sendPinInChatMsg: async (msg: Msg, type: 1 | 2, duration: string) => {
        const parent = msg.get('id');
        if (!parent) throw new Error('the message has no id');
        const seconds = type === 1 ? (pinSeconds[duration] ?? 0) : 0;
        const msgKey = new MsgKey({ fromMe: true, remote: parent.remote, id: await MsgKey.newId() });
        const what = { pinType: type, pinExpiryDuration: seconds, senderTimestampMs: Date.now() };
        pins.set(String(parent), { msgKey, ...what, ack: 0 });
        const request = () => connection.request('pin', { id: parent.id, seconds });
        const { messageSendResult } = await recordAction.sendAddonRecord({ pinParentKey: parent, ack: 0, request });
        if (messageSendResult !== 'OK') throw new Error('PinInChat send Error');
        pins.set(String(parent), { msgKey, ...what, ack: 1 });
        return { messageSendResult: 'OK' };
      },
    },
  };
}

/** In a group each person is only in the highest list. The remaining counts assume that everywhere. */
function receiptInfo(receipts: readonly WireReceipt[], { remote }: MsgKey) {
  const reached = (min: number) =>
    receipts
      .filter(({ ack }) => (remote.isGroup() ? ack === min : ack >= min))
      .map(({ who, t }) => ({ id: createWid(who), t }));
  const [delivery, read] = [reached(2), reached(3)];
  const playedRemaining = receipts.length;
  const readRemaining = playedRemaining - read.length;
  const deliveryRemaining = readRemaining - delivery.length;
  return { delivery, read, played: [], deliveryRemaining, readRemaining, playedRemaining };
}

/** A search, `page` from 1; in one chat, or in all. */
interface Search {
  readonly searchTerm: string;
  readonly page?: number;
  readonly count: number;
  readonly remote?: Wid | undefined;
}

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** Messages that the page holds, by the beginnings of their words: the newest are on the first page, oldest first. */
export function searchLoadedMessages({ searchTerm, page = 1, count, remote }: Search): {
  messages: Msg[];
  eof: boolean;
} {
  const wanted = wordsOf(searchTerm);
  const found = messages.filter((msg) => {
    const own = wordsOf(msg.get('caption') ?? msg.get('body') ?? '');
    const isThere = remote === undefined || String(msg.get('id')?.remote) === String(remote);
    return isThere && wanted.every((word) => own.some((one) => one.startsWith(word)));
  });
  const end = Math.max(0, found.length - (page - 1) * count);
  return { messages: found.slice(Math.max(0, end - count), end), eof: end <= count };
}
