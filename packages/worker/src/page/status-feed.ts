import type { PageMessage, PageWindow } from './window.ts';

declare const window: PageWindow;

/**
 * Posts a text to the status feed; the model of the message that was posted. The library's own way answers with a
 * message of another id, which no ack and no delete would ever match.
 */
export async function postTextStatus(
  text: string,
  backgroundColor: string | undefined,
  font: number | undefined,
  timeoutMs: number,
): Promise<Record<string, unknown> | undefined> {
  const { Msg } = window.require('WAWebCollections');
  const defaultColor = 0xff7acca5;
  let onAdd: (message: PageMessage) => void = () => {};
  const posted = new Promise<PageMessage | undefined>((resolve) => {
    setTimeout(() => resolve(undefined), timeoutMs);
    onAdd = (message) => {
      const isOwn = message.id.fromMe && String(message.id.remote) === 'status@broadcast';
      if (isOwn && message.body === text && message.type === 'chat') resolve(message);
    };
    Msg.on('add', onAdd);
  });
  try {
    await window.require('WAWebSendStatusMsgAction').sendStatusTextMsgAction({
      color: backgroundColor ? window.WWebJS.assertColor(backgroundColor) : defaultColor,
      font: font ?? 0,
      text,
    });
    const message = await posted;
    return message && window.WWebJS.getMessageModel(message);
  } finally {
    Msg.off('add', onAdd);
  }
}
