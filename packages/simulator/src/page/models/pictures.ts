import { Collection } from '../collection.ts';
import type { Connection } from '../connection.ts';
import { Model } from '../model.ts';
import { ServerStatusCodeError } from '../server-status-code-error.ts';
import { switches } from '../switches.ts';
import { createWid, Wid } from '../wid.ts';

interface PictureAttributes {
  id: Wid;
  img: string | undefined;
  imgFull: string | undefined;
  eurl: string | undefined;
  tag: string | undefined;
}

/** What the page knows of somebody's picture. */
export class ProfilePicThumb extends Model<PictureAttributes> {
  static override readonly props = ['id', 'img', 'imgFull', 'eurl', 'tag'];

  /** Setting and deleting one's picture are not simulated. */
  canSet(): boolean {
    return false;
  }

  canDelete(): boolean {
    return false;
  }
}

/** Where the picture of a person or a group is. Rejects with the network's status: 401 private, 404 none, and others. */
export async function requestPicture(connection: Connection, id: Wid) {
  if (id.isStatus()) throw new ServerStatusCodeError(401, 'no picture');
  if (isOtherIdentity(id)) return new Promise<never>(() => undefined);
  const picture = await connection.request('picture', { id: String(id) });
  if ('code' in picture) throw new ServerStatusCodeError(picture.code, 'no picture');
  const paths = { previewEurl: picture.url, previewDirectPath: '/v/preview', fullDirectPath: '/v/full' };
  return { eurl: picture.url, tag: String(id), ...paths };
}

/** The same as an answer in any case: a refusal shows in what is there and what is not. */
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

/** The pictures that were asked for; one that cannot be had is an empty one. */
export function pictures(connection: Connection) {
  const collection = new Collection<ProfilePicThumb>(ProfilePicThumb);
  const find = async (id: string | Wid) => {
    if (switches.pictureRefusals === 'returned' && !(id instanceof Wid)) {
      throw new Error('findImpl called with a non-WAWebWid id');
    }
    const wid = createWid(id);
    const found = await requestPicture(connection, wid).catch(() => undefined);
    const values = { img: found?.eurl, imgFull: found?.eurl, eurl: found?.eurl, tag: found?.tag };
    const thumb = collection.get(wid) ?? collection.add(new ProfilePicThumb({ id: wid }));
    return thumb.set(values);
  };
  return Object.assign(collection, { find });
}

/** The network does not answer for a person under the identity by which it does not know their picture. */
function isOtherIdentity(id: Wid): boolean {
  const { pictureIdentity } = switches;
  if (pictureIdentity === 'any' || !id.isUser()) return false;
  return id.isLid() !== (pictureIdentity === 'lid');
}
