import type { GroupRefusal } from './models.ts';
import { removePicture, setPicture } from './tools/files.ts';
import { groupRefusal, ownGroup } from './tools/groups.ts';

/** Why a picture was not set. */
export type PictureRefusal = GroupRefusal | 'no_image';

/** Whether the page has a group. */
export function hasGroup(groupId: string): boolean {
  return Boolean(window.require('WAWebCollections').Chat.get(groupId));
}

/** Changes a group's picture to the image with that key, cropped to a square. */
export async function setGroupPicture(groupId: string, key: string, membersMs: number): Promise<'ok' | PictureRefusal> {
  const own = await ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  try {
    return await setPicture(own.group.id, key);
  } catch (error) {
    return groupRefusal(error);
  }
}

/** Removes a group's picture. */
export async function removeGroupPicture(groupId: string, membersMs: number): Promise<'ok' | GroupRefusal> {
  const own = await ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  try {
    return await removePicture(own.group.id);
  } catch (error) {
    return groupRefusal(error);
  }
}
