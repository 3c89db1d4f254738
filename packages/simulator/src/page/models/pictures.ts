import { encodeB64 } from '../base64.ts';
import type { Connection } from '../connection.ts';
import { ServerStatusCodeError } from '../server-status-code-error.ts';
import { switches } from '../switches.ts';
import type { Wid } from '../wid.ts';

/**
 * The address of the picture of a person or a group. Rejects with the network's status: 401 private, 404 none, others.
 */
export async function requestPicture(connection: Connection, id: Wid) {
  if (id.isStatus()) throw new ServerStatusCodeError(401, 'no picture');
  if (isOtherIdentity(id)) return new Promise<never>(() => undefined);
  const picture = await connection.request('picture', { id: String(id) });
  if ('code' in picture) throw new ServerStatusCodeError(picture.code, 'no picture');
  const paths = { previewEurl: picture.url, previewDirectPath: '/v/preview', fullDirectPath: '/v/full' };
  return { eurl: picture.url, tag: String(id), ...paths };
}

/** The same without rejecting: a refusal shows in which fields are present. */
export async function requestPictureOrWhyNot(connection: Connection, { id }: { readonly id: Wid }): Promise<object> {
  // Without an id this is a TypeError.
  id.isNewsletter();
  const settled = { timestamp: Date.now(), eurlStale: false, stale: false };
  try {
    return { ...(await requestPicture(connection, id)), id, ...settled };
  } catch (error) {
    if (!(error instanceof ServerStatusCodeError)) throw error;
    if (error.status === 401 || error.status === 404) return { id, tag: '', ...settled };
    if (error.status === 423 || error.status === 429) return { id, stale: true };
    return { id, eurlStale: false };
  }
}

/** Sets the picture of a group, or for any other id that of the account. */
export async function sendPicture(connection: Connection, id: Wid, jpeg: Uint8Array): Promise<object> {
  await connection.request('set-picture', { id: String(id), data: encodeB64(jpeg) });
  return { id: 1 };
}

/** Sets a picture from a data URL, then requests it: if that fails, this rejects although the picture is set. */
export async function setPicture(connection: Connection, id: Wid, picture: string): Promise<object> {
  await connection.request('set-picture', { id: String(id), data: picture.slice(picture.indexOf(',') + 1) });
  // By the own number, by which newer builds request no picture.
  if (isOtherIdentity(id)) return { status: 200 };
  const { eurl, tag, fullDirectPath } = await requestPicture(connection, id);
  return { eurl, tag, fullDirectPath, status: 200 };
}

export async function removePicture(connection: Connection, id: Wid): Promise<object> {
  await connection.request('set-picture', { id: String(id), data: null });
  return { status: 200 };
}

/** Whether the network does not answer for this id, since it has the person's picture by the other identity. */
function isOtherIdentity(id: Wid): boolean {
  const { pictureIdentity } = switches;
  if (pictureIdentity === 'any' || !id.isUser()) return false;
  return id.isLid() !== (pictureIdentity === 'lid');
}
