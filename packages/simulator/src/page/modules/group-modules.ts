import { settleMs } from '../group-queries.ts';
import { createGroup } from '../groups/create.ts';
import { memberActions } from '../groups/member-actions.ts';
import { setProperty, updateProperty } from '../groups/properties.ts';
import type { Chat } from '../models/chat.ts';
import { learnGroup } from '../models/group.ts';
import { groups } from '../models/group-metadata.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { switches } from '../switches.ts';
import type { Wid } from '../wid.ts';
import type { WireGroupChange } from '../wire.ts';
import { inviteModules, queryGroupInvite } from './invite-modules.ts';

/** The arguments for a description in newer builds. */
interface Description {
  readonly groupWid: Wid;
  readonly desc: string | null;
  readonly newDescId: string;
  readonly prevDescId?: string | undefined;
}

/** The actions on groups. */
export function groupModules(page: Page): Modules {
  const { connection } = page;
  const change = async (id: string, what: WireGroupChange) => {
    await connection.request('change-group', { id, change: what });
  };
  const describe = (wid: Wid, text: string, id: string, previous: string | undefined) => {
    // Without an id this is a TypeError.
    wid.toJid();
    return change(String(wid), { description: { id, text, previous } });
  };
  return {
    WAWebGroupCreateJob: { createGroup: createGroup(page) },
    WAWebGroupQueryJob: {
      queryGroupInvite: queryGroupInvite(page),
      queryAndUpdateGroupMetadataById: ({ id }: { id: string | Wid }) => queryAndUpdate(page, String(id)),
    },
    WAWebQueryAndUpdateGroupMetadataJob: {
      // With fields in its argument, the page creates chats for all groups.
      queryAndUpdateAllGroupMetadata: async (_what: Record<string, never>) => page.groupQueries.updateAll(),
    },
    ...(switches.lazyParticipants && {
      WAWebGroupQueryGroupJob: { queryGroupJob: (id: Wid, _context: string) => queryStatus(page, String(id)) },
    }),
    ...memberActions(page),
    ...inviteModules(page),
    WAWebGroupModifyInfoJob: {
      setGroupSubject: (id: Wid, subject: string) => change(String(id), { subject }),
      setGroupDescription:
        switches.groupDescription === 'object'
          ? async ({ groupWid, desc, newDescId, prevDescId }: Description) =>
              describe(groupWid, desc ?? '', newDescId, prevDescId)
          : (id: Wid, text: string | null, newId: string, previousId: string | undefined) =>
              describe(id, text ?? '', newId, previousId),
      setGroupProperty: setProperty(page),
    },
    WAWebMexUpdateGroupPropertyJob: { mexUpdateGroupPropertyJob: updateProperty(page) },
    WAWebExitGroupAction: { sendExitGroup: (chat: Chat) => leave(page, chat) },
  };
}

async function queryAndUpdate({ groupQueries }: Page, id: string): Promise<unknown> {
  if (!switches.lazyParticipants) return learnGroup(await groupQueries.ask(id));
  try {
    const group = await groupQueries.ask(id);
    setTimeout(() => learnGroup(group), settleMs);
  } catch (error) {
    const { status } = error as { status?: number };
    if (status !== 403 && status !== 404) throw error;
  }
  return undefined;
}

/** The answer as the page's own query returns it. */
async function queryStatus({ groupQueries }: Page, id: string): Promise<object> {
  try {
    await groupQueries.ask(id);
    return { status: 'success' };
  } catch (error) {
    const { status } = error as { status?: number };
    if (status === 404) return { status: 'terminated' };
    if (status === 403) return { status: 'not_member' };
    throw error;
  }
}

/** True once the account has left, false if the network refuses. */
async function leave({ connection, users }: Page, chat: Chat): Promise<boolean> {
  const id = String(chat.get('id'));
  try {
    await connection.request('leave-group', { id });
  } catch (error) {
    if ((error as { status?: number }).status === undefined) throw error;
    return false;
  }
  const participants = groups.get(id)?.get('participants');
  for (const member of participants?.getModelsArray() ?? []) {
    if (users.isMe(String(member.get('id')))) participants?.remove(member);
  }
  chat.set({ isReadOnly: true });
  return true;
}
