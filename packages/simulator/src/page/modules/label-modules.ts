import type { Chat } from '../models/chat.ts';
import { conn } from '../models/conn.ts';
import { type LabelAction, labelsAfter } from '../models/labels.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';

/** Labels of chats. The models do not show the change: the caller updates them. */
export function labelModules({ appState }: Page): Modules {
  return {
    WAWebEditLabelAssociationBridge: {
      editLabelAssociation: async (actions: readonly LabelAction[], chosen: readonly Chat[]) => {
        if (!conn.get('platform')?.startsWith('smb')) throw new Error('editLabelAssociation is not supported');
        for (const chat of chosen) {
          appState.push('mark-chat', { chat: String(chat.get('id')), marks: { labels: labelsAfter(chat, actions) } });
        }
      },
    },
  };
}
