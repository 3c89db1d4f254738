import type { MessageModel, PageChat } from '../models.ts';

/** The community of a group, and what the group is in it; undefined for any other chat. */
export function communityOf(chat: PageChat | undefined): MessageModel['community'] {
  const { isParentGroup, parentGroup, defaultSubgroup, isCag } = chat?.groupMetadata ?? {};
  if (isParentGroup === true) return { id: String(chat?.id), role: 'parent' };
  if (!parentGroup) return undefined;
  return { id: String(parentGroup), role: defaultSubgroup || isCag ? 'announcements' : 'group' };
}
