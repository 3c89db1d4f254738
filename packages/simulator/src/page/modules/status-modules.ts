import { Msg, type MsgAttributes } from '../models/message.ts';
import { MsgKey } from '../msg-key.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { createWid } from '../wid.ts';

interface TextStatus {
  /** 0xAARRGGBB */
  readonly color: number;
  readonly font: number;
  readonly text: string;
}

/** What can be posted to the status feed. */
export function statusModules({ connection, outbox, users }: Page): Modules {
  const self = () => {
    if (!users.self) throw new Error('not linked');
    return createWid(users.self.pn);
  };
  /** Makes a message of its own: whoever calls this learns the id from the feed alone. */
  const textMessage = async ({ color, font, text }: TextStatus) => {
    const [from, to] = [self(), createWid('status@broadcast')];
    const id = new MsgKey({ fromMe: true, remote: to, id: await MsgKey.newId(), participant: from });
    return new Msg({
      ...{ id, from, to, author: from, body: text, type: 'chat', self: 'out', ack: 0, isNewMsg: true, local: true },
      ...{ t: Math.floor(Date.now() / 1000), backgroundColor: color, font, mentionedJidList: [], star: false },
    });
  };
  return {
    WAWebStatusGatingUtils: { canCheckStatusRankingPosterGating: () => false },
    WAWebSendStatusMsgAction: {
      sendStatusTextMsgAction: async (status: TextStatus) => outbox.post(self(), await textMessage(status)),
      sendStatusMediaMsgAction: async (msg: Msg, update: (data: Partial<MsgAttributes>) => void) => {
        update({});
        return outbox.post(self(), msg);
      },
    },
    WAWebRevokeStatusAction: {
      sendStatusRevokeMsgAction: async (_status: unknown, msg: Msg) => {
        await connection.request('revoke', { id: msg.get('id')?.id ?? '' });
      },
    },
  };
}
