import { removePicture, requestPicture, requestPictureOrWhyNot, sendPicture, setPicture } from '../models/pictures.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { switches } from '../switches.ts';
import { createWid, type Wid } from '../wid.ts';

/** Pictures of people and groups. */
export function contactModules({ connection }: Page): Modules {
  return {
    WAWebContactProfilePicThumbBridge: {
      requestProfilePicFromServer:
        switches.pictureRefusals === 'returned'
          ? (chat: { readonly id: Wid }) => requestPictureOrWhyNot(connection, chat)
          : // Accepts a chat, as the library passes it, or an id.
            (chat: Wid | { id: Wid }) => requestPicture(connection, createWid('id' in chat ? chat.id : chat)),
      sendSetPicture: (id: Wid, _preview: string, picture: string) => setPicture(connection, id, picture),
      requestDeletePicture: (id: Wid) => removePicture(connection, id),
    },
    // A default export.
    WAWebSendProfilePictureJob: (id: Wid, jpeg: Uint8Array) => sendPicture(connection, id, jpeg),
  };
}
