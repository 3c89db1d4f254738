import type { PageChat } from '../window.ts';
import { type Contract, fn } from './part.ts';

/** What is done with a label of a chat. */
export interface LabelAction {
  readonly id: string;
  readonly type: 'add' | 'remove';
}

/** Modules for labels. */
export interface LabelModules {
  WAWebEditLabelAssociationBridge: {
    editLabelAssociation(actions: readonly LabelAction[], chats: readonly PageChat[]): Promise<unknown>;
  };
}

/** Their parts. */
export const labelParts: Contract<LabelModules> = {
  WAWebEditLabelAssociationBridge: {
    editLabelAssociation: fn(
      '([{id, type}], chats) → Promise; rejects without business account, resolves before the network has it',
      'setChatLabels',
    ),
  },
};
