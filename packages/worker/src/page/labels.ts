import type { PageLabel, PageWindow } from './window.ts';

declare const window: PageWindow;

/** Why there are no labels. `not_business`: other accounts have lists in their place, which are not shown as labels. */
export type NoLabels = 'not_business' | 'no_chat';

/** The labels of the account, or those of a chat. */
export function listLabels(chatId?: string): PageLabel[] | NoLabels {
  const tools = window.chatWebTools;
  if (!tools.hasLabels()) return 'not_business';
  const rows = tools.ownLabels().map(({ id, name, colorIndex }) => ({ id: String(id), name, colorIndex }) as PageLabel);
  if (chatId === undefined) return rows;
  const chat = tools.findChat(chatId);
  if (!chat) return 'no_chat';
  const own = new Set((chat.labels ?? []).map(String));
  return rows.filter(({ id }) => own.has(id));
}

/**
 * Gives a chat these labels, and takes all others from it. `no_label`: the account has no label of some id; `not_shown`:
 * the page has passed the change on, and does not show it.
 */
export async function setChatLabels(
  chatId: string,
  labelIds: string[],
  settleMs: number,
): Promise<'ok' | 'no_label' | 'not_shown' | NoLabels> {
  const tools = window.chatWebTools;
  if (!tools.hasLabels()) return 'not_business';
  const chat = tools.findChat(chatId);
  if (!chat) return 'no_chat';
  const { Label } = window.require('WAWebCollections');
  // Not by `get`: a collection has something under the name of each property that objects inherit.
  const known = new Set(tools.ownLabels().map(({ id }) => String(id)));
  if (!Label || labelIds.some((id) => !known.has(id))) return 'no_label';
  const wanted = new Set(labelIds);
  // Some ids are of lists that the network keeps by itself.
  const present = () => (chat.labels ?? []).map(String).filter((id) => known.has(id));
  return tools.oneByOne(chat, async () => {
    const before = present();
    const added = [...wanted].filter((id) => !before.includes(id));
    const removed = before.filter((id) => !wanted.has(id));
    const actions = [
      ...added.map((id) => ({ id, type: 'add' }) as const),
      ...removed.flatMap((id) => tools.labelRemovals(id)),
    ];
    if (actions.length > 0) {
      // The collection's own function for both does not tell whether it has failed.
      await window.require('WAWebEditLabelAssociationBridge').editLabelAssociation(actions, [chat]);
      try {
        Label.addOrRemoveLabelsMD(actions, [chat]);
      } catch {
        // That only shows it.
      }
    }
    const isDone = () => present().length === wanted.size && present().every((id) => wanted.has(id));
    return (await tools.holds(isDone, settleMs)) ? 'ok' : 'not_shown';
  });
}
