import { delay } from './delay.ts';
import type { PageMessage, PageSendResult, Posted } from './models.ts';
import { posted } from './tools/outcomes.ts';

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
  const defaultColor = 0xff7acca5;
  let onAdd: (message: PageMessage) => void = () => {};
  const shown = new Promise<PageMessage>((resolve) => {
    onAdd = (message) => {
      const isOwn = message.id.fromMe && String(message.id.remote) === 'status@broadcast';
      if (isOwn && message.body === text && message.type === 'chat') resolve(message);
    };
    Msg.on('add', onAdd);
  });
  try {
    const result = await window.require('WAWebSendStatusMsgAction').sendStatusTextMsgAction({
      color: backgroundColor ? window.WWebJS.assertColor(backgroundColor) : defaultColor,
      font: font ?? 0,
      text,
    });
    const late = delay(timeoutMs);
    return await posted(result, () => Promise.race([shown, late]));
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
  const prepared = await window.WWebJS.processMediaData(media, { sendToStatus: true });
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
  let result: PageSendResult | undefined;
  let post: PageMessage | undefined;
  if (sendStatusMediaMsgAction.length > 1) {
    // Builds until spring 2026 take a message of the page, and a callback before it is sent.
    const { Msg } = window.require('WAWebCollections') as unknown as {
      Msg: { modelClass: new (data: object) => PageMessage };
    };
    post = new Msg.modelClass(mediaMsgData);
    result = await sendStatusMediaMsgAction(post, uploaded);
  } else result = await sendStatusMediaMsgAction({ mediaMsgData, beforeSend: uploaded });
  return posted(result, () => post);
}
