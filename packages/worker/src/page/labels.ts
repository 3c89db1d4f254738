import type { PageLabel } from './models.ts';
import { findChat, hasLabels, holds, labelRemovals, oneByOne, ownLabels } from './tools/chats.ts';

/** Why there are no labels. `not_business`: other accounts have lists instead, which are not returned as labels. */
export type NoLabels = 'not_business' | 'no_chat';

/** The labels of the account, or those of a chat. */
export function listLabels(chatId?: string): PageLabel[] | NoLabels {
  if (!hasLabels()) return 'not_business';
  const rows = ownLabels().map(({ id, name, colorIndex }) => ({ id: String(id), name, colorIndex }) as PageLabel);
  if (chatId === undefined) return rows;
  const chat = findChat(chatId);
  if (!chat) return 'no_chat';
  const own = new Set((chat.labels ?? []).map(String));
  return rows.filter(({ id }) => own.has(id));
}

/**
 * Gives a chat these labels, and removes all others. `no_label`: the account has no label with one of the ids;
 * `not_shown`: the page sent the change, but does not show it.
 */
export async function setChatLabels(
  chatId: string,
  labelIds: string[],
  settleMs: number,
): Promise<'ok' | 'no_label' | 'not_shown' | NoLabels> {
  if (!hasLabels()) return 'not_business';
  const chat = findChat(chatId);
  if (!chat) return 'no_chat';
  const { Label } = window.require('WAWebCollections');
  // Not by `get`: in a collection, it also finds inherited properties of objects.
  const known = new Set(ownLabels().map(({ id }) => String(id)));
  if (!Label || labelIds.some((id) => !known.has(id))) return 'no_label';
  const wanted = new Set(labelIds);
  // Some ids are of lists that the network maintains.
  const present = () => (chat.labels ?? []).map(String).filter((id) => known.has(id));
  return oneByOne(chat, async () => {
    const before = present();
    const added = [...wanted].filter((id) => !before.includes(id));
    const removed = before.filter((id) => !wanted.has(id));
    const actions = [
      ...added.map((id) => ({ id, type: 'add' }) as const),
      ...removed.flatMap((id) => labelRemovals(id)),
    ];
    if (actions.length > 0) {
      // The collection's own function for both steps hides failures.
      await window.require('WAWebEditLabelAssociationBridge').editLabelAssociation(actions, [chat]);
      try {
        Label.addOrRemoveLabelsMD(actions, [chat]);
      } catch {
        // This step only updates what the page shows.
      }
    }
    const isDone = () => present().length === wanted.size && present().every((id) => wanted.has(id));
    return (await holds(isDone, settleMs)) ? 'ok' : 'not_shown';
  });
}
