import { keyOf, modelOf } from '../message-forms.ts';
import type { Msg } from '../models/message.ts';
import { reactionsOf } from '../models/reactions.ts';
import { type Search, searchHeld } from '../models/searches.ts';
import { MsgKey } from '../msg-key.ts';
import type { Page } from '../page.ts';
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
        const rows = found.map((message) => ({ ...modelOf(message, false).serialize(), id: keyOf(message) }));
        return { messages: rows, status: 200 };
      },
      msgFindSearch: async (search: Search) => {
        const { messages, eof } = searchHeld(search);
        const rows = messages.map((msg) => ({ ...msg.serialize(), id: msg.get('id') }));
        return { messages: rows, eof, canceled: false, status: rows.length > 0 ? 200 : 404 };
      },
    },
    WAWebDBGetReactions: { getReactions: async (id: string) => reactionsOf(id) },
    WAWebApiMessageInfoStore: {
      queryMsgInfo: async (key: MsgKey) => infoOf(await connection.request('receipts', { id: key.id }), key),
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
        await connection.request('pin', { id: parent.id, seconds }).catch(() => {
          throw new Error('PinInChat send Error');
        });
        pins.set(String(parent), { msgKey, ...what, ack: 1 });
        return { messageSendResult: 'OK' };
      },
    },
  };
}

/** In a group each person is only in the highest list. The remaining counts assume that everywhere. */
function infoOf(receipts: readonly WireReceipt[], { remote }: MsgKey) {
  const reached = (least: number) =>
    receipts
      .filter(({ ack }) => (remote.isGroup() ? ack === least : ack >= least))
      .map(({ who, t }) => ({ id: createWid(who), t }));
  const [delivery, read] = [reached(2), reached(3)];
  const playedRemaining = receipts.length;
  const readRemaining = playedRemaining - read.length;
  const deliveryRemaining = readRemaining - delivery.length;
  return { delivery, read, played: [], deliveryRemaining, readRemaining, playedRemaining };
}
