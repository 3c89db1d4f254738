import type { MsgAttributes } from '../models/message.ts';
import { MsgKey } from '../msg-key.ts';
import { createWid, type Wid } from '../wid.ts';

/** A text for the status feed, as scripts pass it. */
export interface TextStatus {
  /** 0xAARRGGBB */
  readonly color: number;
  readonly font: number;
  readonly text: string;
}

/** The attributes of a text status's message. The page chooses its id. */
export async function textStatusData({ color, font, text }: TextStatus, self: Wid): Promise<Partial<MsgAttributes>> {
  const to = createWid('status@broadcast');
  const id = new MsgKey({ fromMe: true, remote: to, id: await MsgKey.newId(), participant: self });
  return {
    id,
    from: self,
    to,
    author: self,
    body: text,
    type: 'chat',
    self: 'out',
    ack: 0,
    isNewMsg: true,
    local: true,
    t: Math.floor(Date.now() / 1000),
    backgroundColor: color,
    font,
    mentionedJidList: [],
    star: false,
  };
}
