import { mediaFieldNames } from '../media/media-data.ts';
import { canForward } from '../message-capability.ts';
import { type Chat, ephemeralFields } from '../models/chat.ts';
import { type Msg, type MsgAttributes, passedFields } from '../models/message.ts';
import { MsgKey } from '../msg-key.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';

type Draft = Partial<MsgAttributes> & {
  readonly forwardedFromWeb: true;
  readonly isForwarded: boolean;
  readonly multicast: boolean | undefined;
};

/** Scripts may replace its function: it is looked up at each call, as in the real page. */
interface SendAction {
  addAndSendMsgToChat(chat: Chat, values: Draft): [Promise<Msg>, Promise<object>];
}

interface Forwarding {
  readonly chat: Chat;
  readonly msgs: readonly Msg[];
  readonly includeCaption?: boolean;
  readonly multicast?: boolean;
}

/** What is copied from a message besides its text. */
const copied: readonly string[] = ['mentionedJidList', ...mediaFieldNames, ...passedFields].filter(
  (name) => name !== 'ephemeralDuration', // That of the chat it goes to.
);

/**
 * Forwards messages. As in the real page, a failure is reported only for a file that was not delivered, and by an error
 * if the recipient is blocked; the new messages are not returned.
 */
export function forwardModules({ users }: Page, { WAWebSendMsgChatAction }: Modules): Modules {
  const action = WAWebSendMsgChatAction as SendAction;
  const draftOf = async (chat: Chat, msg: Msg, { includeCaption, multicast }: Forwarding): Promise<Draft> => {
    const values = msg.serialize() as Partial<MsgAttributes>;
    const to = chat.get('id');
    if (!to) throw new Error('the chat has no id');
    const byLid = to.isLid() || chat.groupMetadata?.get('isLidAddressingMode') === true;
    const from = users.ownWid(byLid ? 'lid' : 'pn');
    const participant = to.isGroup() ? from : undefined;
    const fields = Object.fromEntries(Object.entries(values).filter(([name]) => copied.includes(name)));
    const caption = includeCaption && values.isCaptionByUser ? { caption: values.caption, isCaptionByUser: true } : {};
    return {
      ...fields,
      ...(values.directPath ? caption : { body: values.body }),
      ...ephemeralFields(chat),
      id: new MsgKey({ from, to, id: await MsgKey.newId(), participant, selfDir: 'out' }),
      // A voice note of another person becomes an audio file.
      type: values.type === 'ptt' ? 'audio' : values.type,
      ack: 0,
      from,
      to,
      local: true,
      self: 'out',
      t: Math.floor(Date.now() / 1000),
      isNewMsg: true,
      isForwarded: values.id?.fromMe !== true || (values as { isForwarded?: boolean }).isForwarded === true,
      forwardedFromWeb: true,
      multicast,
    } as Draft;
  };
  return {
    WAWebChatForwardMessage: {
      forwardMessages: async (forwarding: Forwarding): Promise<Msg[]> => {
        const { chat, msgs } = forwarding;
        if (users.known(String(chat.get('id')))?.isBlocked) throw new Error('Forwarded to contact is blocked');
        const undelivered: Msg[] = [];
        for (const msg of msgs) {
          try {
            if (!canForward(msg)) throw new Error('this message is not forwarded');
            const draft = await draftOf(chat, msg, forwarding);
            await Promise.all(action.addAndSendMsgToChat(chat, draft));
          } catch {
            if (msg.get('directPath')) undelivered.push(msg);
          }
        }
        return undelivered;
      },
    },
  };
}
