import type { OwnGroup, PageChat, PageParticipant, PageWindow } from '../window.ts';

declare const window: PageWindow;

/** Finds a group and its members. */
export interface GroupTools {
  /** A group that the account is a member of: the page also lists those that it has left. */
  ownGroup(id: string, timeoutMs: number): Promise<OwnGroup | undefined>;
}

/** Installs the tools for groups. Needs the tools for outcomes. */
export function installGroupTools(): void {
  const { optional, isMe, refusal } = window.chatWebTools;
  const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

  const settleMs = 50;
  const loaded = (group: PageChat) => group.groupMetadata?.participants?.getModelsArray() ?? [];
  const membersOf = async (group: PageChat, timeoutMs: number) => {
    if (loaded(group).length > 0) return loaded(group);
    if (timeoutMs <= 0) return undefined;
    const deadline = Date.now() + timeoutMs;
    const { GroupMetadata, WAWebGroupMetadataCollection } = window.require('WAWebCollections');
    const query = optional('WAWebGroupQueryJob')?.queryAndUpdateGroupMetadataById;
    // The job rejects if the network limits the rate; the collection would return no members.
    const asked = query ? query({ id: group.id }) : (GroupMetadata ?? WAWebGroupMetadataCollection)?.update(group.id);
    await Promise.race([asked, delay(timeoutMs)]);
    // The models are set a moment after the answer.
    const until = Math.min(deadline, Date.now() + 20 * settleMs);
    while (loaded(group).length === 0 && Date.now() < until) await delay(settleMs);
    return loaded(group).length > 0 ? loaded(group) : undefined;
  };

  const ownGroup: GroupTools['ownGroup'] = async (id, timeoutMs) => {
    const group = window.require('WAWebCollections').Chat.get(id);
    if (!group) return undefined;
    let members: PageParticipant[] | undefined;
    try {
      members = await membersOf(group, timeoutMs);
    } catch (error) {
      const refused = refusal(error);
      if (refused === 403 || refused === 404) return undefined;
      // Rate limited, or failed: the members are unknown.
    }
    const self = members?.find((member) => isMe(member.id));
    if (members && !self) return undefined;
    return { group, members, isAdmin: self && (self.isAdmin === true || self.isSuperAdmin === true) };
  };

  const tools: GroupTools = { ownGroup };
  window.chatWebTools = { ...window.chatWebTools, ...tools };
}
