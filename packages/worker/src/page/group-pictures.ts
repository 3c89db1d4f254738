import { removePicture, setPicture } from './tools/files.ts';
import { changingGroup, noGroup, requireGroup } from './tools/groups.ts';

/** Refuses the call unless the page has the group. */
export function requireKnownGroup(groupId: string): void {
  if (!window.require('WAWebCollections').Chat.get(groupId)) throw noGroup();
}

/** Changes a group's picture to the image with that key, cropped to a square. */
export async function setGroupPicture(groupId: string, key: string, membersMs: number): Promise<void> {
  const { group } = await requireGroup(groupId, membersMs);
  await changingGroup(() => setPicture(group.id, key));
}

/** Removes a group's picture. */
export async function removeGroupPicture(groupId: string, membersMs: number): Promise<void> {
  const { group } = await requireGroup(groupId, membersMs);
  await changingGroup(() => removePicture(group.id));
}
