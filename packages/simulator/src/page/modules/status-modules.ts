import type { Connection } from '../connection.ts';
import { ownTextAttributes } from '../message-conversion.ts';
import { Msg, type MsgAttributes } from '../models/message.ts';
import type { Status } from '../models/statuses.ts';
import { MsgKey } from '../msg-key.ts';
import type { SendResult } from '../outbox.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { switches } from '../switches.ts';
import { createWid, type Wid } from '../wid.ts';

/** The network has refused a message. */
class MessageSentAckError extends Error {
  readonly ackErrorCode: number;

  constructor(code: number) {
    super(`refused with ${code}`);
    this.ackErrorCode = code;
  }
}

/** The actions for the status feed, in the form of the page's build. */
export function statusModules(page: Page): Modules {
  if (switches.statusActions === 'object') return objectStatusActions(page);
  return positionalStatusActions(page);
}

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
function objectStatusActions({ connection, outbox, users }: Page): Modules {
  const { failures, modules } = failureModules(connection);
  const toLid = (wid: Wid) => (wid.isUser() ? (users.lidOf(wid) ?? wid) : wid);
  const postNow = async (msg: Msg): Promise<StatusResult> => {
    const result = await outbox.send(msg);
    if (result.messageSendResult === 'OK') return { messageSendResult: 'OK', msg };
    msg.fail();
    const { nack, messageSendResult } = result;
    failures.postStatusSendFailure(nack === undefined ? new Error(messageSendResult) : new MessageSentAckError(nack));
    return { messageSendResult };
  };
  const sendStatusTextMsgAction = async (status: TextStatus, _funnelContext?: object): Promise<StatusResult> => {
    const text = (status.text || '').trim();
    if (text === '') throw new Error('Minified invariant #73062; %s');
    const self = users.ownWid('lid');
    const msg = new Msg(await textStatusData({ ...status, text }, self));
    outbox.addToFeed(self, msg);
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
    outbox.addToFeed(self, msg);
    try {
      await beforeSend(msg);
    } catch {
      return { messageSendResult: 'ERROR_UPLOAD' };
    }
    return postNow(msg);
  };
  return {
    WAWebSendStatusMsgAction: { sendStatusTextMsgAction, sendStatusMediaMsgAction },
    ...modules,
  };
}

/** Status actions before May 2026: positional arguments; a failure is thrown. */
function positionalStatusActions({ connection, outbox, users }: Page): Modules {
  return {
    WAWebSendStatusMsgAction: {
      sendStatusTextMsgAction: async (status: TextStatus) => {
        const self = users.ownWid('pn');
        return outbox.post(self, new Msg(await textStatusData(status, self)));
      },
      sendStatusMediaMsgAction: async (msg: Msg, beforeSend: (msg: Msg) => unknown) => {
        await beforeSend(msg);
        return outbox.post(users.ownWid('pn'), msg);
      },
    },
    ...failureModules(connection).modules,
  };
}

/** The deletion of an own status. It reports failures to the page itself, also of those of posts. */
function failureModules(connection: Connection) {
  const failures = { postStatusSendFailure: (_error: unknown) => {} };
  const sendStatusRevokeMsgAction = async (status: Pick<Status, 'revokeMsgs'>, msg: Msg): Promise<void> => {
    // Without a feed this is a TypeError, and nothing is sent.
    status.revokeMsgs([String(msg.get('id'))]);
    try {
      await connection.request('revoke', { id: msg.get('id')?.id ?? '' });
    } catch (error) {
      failures.postStatusSendFailure(error);
    }
  };
  const modules = { WAWebRevokeStatusAction: { sendStatusRevokeMsgAction }, WAWebPostSendStatusFailure: failures };
  return { failures, modules };
}

/** A text for the status feed, as scripts pass it. */
interface TextStatus {
  /** 0xAARRGGBB */
  readonly color: number;
  readonly font: number;
  readonly text: string;
}

/** The attributes of a text status's message. The page chooses its id. */
async function textStatusData({ color, font, text }: TextStatus, self: Wid): Promise<Partial<MsgAttributes>> {
  const to = createWid('status@broadcast');
  const id = new MsgKey({ fromMe: true, remote: to, id: await MsgKey.newId(), participant: self });
  return { ...ownTextAttributes(id, self, text), author: self, backgroundColor: color, font };
}
