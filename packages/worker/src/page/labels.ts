import { holds } from './delay.ts';
import type { PageLabel } from './models.ts';
import { Refusal } from './refusal.ts';
import { hasLabels, labelRemovals, oneByOne, ownChat, ownLabels } from './tools/chats.ts';

/** Other accounts have lists instead, which are not returned as labels. */
function requireLabels() {
  if (!hasLabels()) throw new Refusal('not_permitted', 'the account is not a business account: only those have labels');
}

/** The labels of the account, or those of a chat. */
export function listLabels(chatId?: string): PageLabel[] {
  requireLabels();
  const rows = ownLabels().map(({ id, name, colorIndex }) => ({ id: String(id), name, colorIndex }) as PageLabel);
  if (chatId === undefined) return rows;
  const chat = ownChat(chatId);
  const own = new Set((chat.labels ?? []).map(String));
  return rows.filter(({ id }) => own.has(id));
}

/** Gives a chat these labels, and removes all others. False: the account has no label with one of the ids. */
export async function setChatLabels(chatId: string, labelIds: string[], settleMs: number): Promise<boolean> {
  requireLabels();
  const chat = ownChat(chatId);
  const { Label } = window.require('WAWebCollections');
  // Not by `get`: in a collection, it also finds inherited properties of objects.
  const known = new Set(ownLabels().map(({ id }) => String(id)));
  if (!Label || labelIds.some((id) => !known.has(id))) return false;
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
    if (await holds(isDone, settleMs)) return true;
    throw new Refusal('outcome_unknown', 'the web client did not show the change; look at the labels of the chat');
  });
}
