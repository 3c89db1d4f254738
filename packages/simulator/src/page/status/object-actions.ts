import { Msg, type MsgAttributes } from '../models/message.ts';
import { MsgKey } from '../msg-key.ts';
import type { SendResult } from '../outbox.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { switches } from '../switches.ts';
import type { Wid } from '../wid.ts';
import { revokeModules } from './revoke.ts';
import { type TextStatus, textStatusData } from './text-status.ts';

/** The argument of the action for media: one object. */
interface MediaStatus {
  readonly mediaMsgData: Partial<MsgAttributes>;
  /** Runs once the post is in the feed, and before it is sent. */
  readonly beforeSend: (msg: Msg) => unknown;
  readonly funnelContext?: object;
}

/** The result of a post; a refusal is returned, without a message. */
type StatusResult = SendResult & { readonly msg?: Msg };

/**
 * Status actions since May 2026: the action for media takes one object, posts go out under the hidden number, and a
 * failure is returned.
 */
export function objectStatusActions({ connection, outbox, users }: Page): Modules {
  const toLid = (wid: Wid) => (wid.isRegularUser() ? (users.lidOf(wid) ?? wid) : wid);
  const postNow = async (msg: Msg): Promise<StatusResult> => {
    const result = await outbox.send(msg);
    if (result.messageSendResult === 'OK') return { messageSendResult: 'OK', msg };
    msg.fail();
    return { messageSendResult: result.messageSendResult };
  };
  const sendStatusTextMsgAction = async (status: TextStatus, _funnelContext?: object): Promise<StatusResult> => {
    const text = (status.text || '').trim();
    if (text === '') throw new Error('Minified invariant #73062; %s');
    const self = users.ownWid('lid');
    const msg = new Msg(await textStatusData({ ...status, text }, self));
    outbox.hold(self, msg, switches.statusInMsgs);
    return postNow(msg);
  };
  const sendStatusMediaMsgAction = async ({ mediaMsgData, beforeSend }: MediaStatus): Promise<StatusResult> => {
    const { fromMe, remote, id, participant } = mediaMsgData.id as MsgKey;
    const self = users.ownWid('lid');
    const msg = new Msg({
      ...mediaMsgData,
      id: new MsgKey({ fromMe, remote, id, participant: participant && toLid(participant) }),
      // Without a sender this is a TypeError.
      from: toLid(mediaMsgData.from as Wid),
      author: self,
    });
    outbox.hold(self, msg, switches.statusInMsgs);
    try {
      await beforeSend(msg);
    } catch {
      return { messageSendResult: 'ERROR_UPLOAD' };
    }
    return postNow(msg);
  };
  return {
    WAWebSendStatusMsgAction: { sendStatusTextMsgAction, sendStatusMediaMsgAction },
    ...revokeModules(connection),
  };
}
