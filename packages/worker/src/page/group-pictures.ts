import type { GroupRefusal, PageWindow } from './window.ts';

declare const window: PageWindow;

/** Why a picture was not set. */
export type PictureRefusal = GroupRefusal | 'no_image';

/** Whether the page has a group. */
export function hasGroup(groupId: string): boolean {
  return Boolean(window.require('WAWebCollections').Chat.get(groupId));
}

/** Changes a group's picture to the image with that key, cut to a square. */
export async function setGroupPicture(groupId: string, key: string, membersMs: number): Promise<'ok' | PictureRefusal> {
  const tools = window.chatWebTools;
  const own = await tools.ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  const urls = await tools.pictureOf(key);
  if (!urls) return 'no_image';
  try {
    const { sendSetPicture } = window.require('WAWebContactProfilePicThumbBridge');
    const status = Number((await sendSetPicture(own.group.id, urls.thumbnail, urls.picture))?.status ?? 200);
    return status === 200 ? 'ok' : { refused: status };
  } catch (error) {
    return tools.groupRefusal(error);
  }
}

/** Removes a group's picture. */
export async function removeGroupPicture(groupId: string, membersMs: number): Promise<'ok' | GroupRefusal> {
  const tools = window.chatWebTools;
  const own = await tools.ownGroup(groupId, membersMs);
  if (!own) return 'no_group';
  try {
    const { requestDeletePicture } = window.require('WAWebContactProfilePicThumbBridge');
    const status = Number((await requestDeletePicture(own.group.id))?.status ?? 200);
    return status === 200 ? 'ok' : { refused: status };
  } catch (error) {
    return tools.groupRefusal(error);
  }
}
