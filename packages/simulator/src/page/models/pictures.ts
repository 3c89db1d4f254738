import { Collection } from '../collection.ts';
import type { Connection } from '../connection.ts';
import { Model } from '../model.ts';
import { ServerStatusCodeError } from '../server-status-code-error.ts';
import { createWid, type Wid } from '../wid.ts';

interface PictureAttributes {
  id: Wid;
  img: string | undefined;
  imgFull: string | undefined;
  eurl: string | undefined;
}

/** What the page knows of somebody's picture. */
export class ProfilePicThumb extends Model<PictureAttributes> {
  static override readonly props = ['id', 'img', 'imgFull', 'eurl'];

  /** Setting and deleting one's picture are not simulated. */
  canSet(): boolean {
    return false;
  }

  canDelete(): boolean {
    return false;
  }
}

/** Where the picture of a person or a group is. Rejects with the network's status: 401 private, 404 none. */
export async function requestPicture(connection: Connection, id: Wid): Promise<{ eurl: string; tag: string }> {
  const picture = await connection.request('picture', { id: String(id) });
  if ('code' in picture) throw new ServerStatusCodeError(picture.code, 'no picture');
  return { eurl: picture.url, tag: String(id) };
}

/** The pictures that were asked for; one that cannot be had is an empty one. */
export function pictures(connection: Connection) {
  const collection = new Collection<ProfilePicThumb>(ProfilePicThumb);
  const find = async (id: string | Wid) => {
    const wid = createWid(id);
    const found = await requestPicture(connection, wid).catch(() => undefined);
    const values = { img: found?.eurl, imgFull: found?.eurl, eurl: found?.eurl };
    const thumb = collection.get(wid) ?? collection.add(new ProfilePicThumb({ id: wid }));
    return thumb.set(values);
  };
  return Object.assign(collection, { find });
}
