import type { PageChat } from '../window.ts';
import { type Contract, fn, unchecked } from './part.ts';

/** A change of a chat's label. */
export interface LabelAction {
  readonly id: string;
  readonly type: 'add' | 'remove';
  /** Absent on the account's own labels. */
  readonly listType?: number;
}

/** Modules for labels. */
export interface LabelModules {
  WAWebEditLabelAssociationBridge: {
    editLabelAssociation(actions: readonly LabelAction[], chats: readonly PageChat[]): Promise<unknown>;
  };
  WAWebBizLabelUtils: { mapManualLabelIdToDetectedOutcomeLabelId?(id: string): string | null | undefined };
  WAWebSchemaLabel: { ListType?: Readonly<Record<string, number>> };
}

/** Their parts. */
export const labelParts: Contract<LabelModules> = {
  WAWebEditLabelAssociationBridge: {
    editLabelAssociation: fn(
      '([{id, type}], chats) → Promise; rejects without business account, resolves before the network has it',
      'setChatLabels',
    ),
  },
  WAWebBizLabelUtils: {
    mapManualLabelIdToDetectedOutcomeLabelId: unchecked("(id) → id of the network's detected label, or null"),
  },
  WAWebSchemaLabel: { ListType: unchecked('{PREDEFINED, CUSTOM, LEAD, SERVER_ASSIGNED, …}: numbers') },
};
