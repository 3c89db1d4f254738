import type { PageChat } from '../models.ts';
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
    /** Rejects without business account, resolves before the network has it. */
    editLabelAssociation(actions: readonly LabelAction[], chats: readonly PageChat[]): Promise<unknown>;
  };
  WAWebBizLabelUtils: {
    /** Returns the id of the network's detected label, or null. */
    mapManualLabelIdToDetectedOutcomeLabelId?(id: string): string | null | undefined;
  };
  WAWebSchemaLabel: {
    /** `PREDEFINED`, `CUSTOM`, `LEAD`, `SERVER_ASSIGNED`, … */
    ListType?: Readonly<Record<string, number>>;
  };
}

/** Their parts. */
export const labelParts: Contract<LabelModules> = {
  WAWebEditLabelAssociationBridge: { editLabelAssociation: fn('setChatLabels') },
  WAWebBizLabelUtils: { mapManualLabelIdToDetectedOutcomeLabelId: unchecked() },
  WAWebSchemaLabel: { ListType: unchecked() },
};
