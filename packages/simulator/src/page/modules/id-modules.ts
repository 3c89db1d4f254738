import { MsgKey } from '../msg-key.ts';
import type { Modules } from '../registry.ts';
import { createWid, Wid } from '../wid.ts';

function asUserWidOrThrow(wid: Wid): Wid {
  if (!wid.isUser()) throw new Error('wid error: not a user');
  return wid;
}

/** Ids of people, chats and messages, and their spellings. */
export const idModules: Modules = {
  WAWebMsgKey: MsgKey,
  WAWebWidFactory: {
    createWid,
    createWidFromWidLike: createWid,
    createUserWid: (user: string, server = 'c.us') => createWid(`${user}@${server}`),
    isWidlike: Wid.isWid,
    asUserWidOrThrow,
    toUserWidOrThrow: asUserWidOrThrow,
  },
  WAWebWidToJid: {
    widToUserJid: (wid: Wid) => wid.toJid(),
    widToChatJid: (wid: Wid) => wid.toJid(),
    widToGroupJid: (wid: Wid) => wid.toJid(),
  },
};
