import type { Chat } from './models/chat.ts';
import { MsgKey } from './msg-key.ts';
import type { Page } from './page.ts';
import { createWid } from './wid.ts';

/** Invitations to groups, for people who cannot be added. */
export function inviteActions({ outbox, users }: Page) {
  return {
    sendGroupInviteMessage: async (
      chat: Chat,
      group: string,
      subject: string,
      code: string,
      expiration: string,
      comment: string,
    ) => {
      const to = chat.get('id');
      const self = to?.isLid() ? users.self?.lid : users.self?.pn;
      if (!to || !self) throw new Error('not linked');
      const from = createWid(self);
      const [, sent] = outbox.sendToChat(chat, {
        ...{ id: new MsgKey({ fromMe: true, remote: to, id: await MsgKey.newId() }), from, to, self: 'out', ack: 0 },
        ...{ type: 'groups_v4_invite', body: comment, t: Math.floor(Date.now() / 1000), isNewMsg: true, local: true },
        ...{ inviteCode: code, inviteCodeExp: Number(expiration), inviteGrp: group, inviteGrpName: subject },
      });
      return sent;
    },
  };
}
