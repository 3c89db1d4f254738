import { describe, expect, it } from 'vitest';
import { stubPage } from '../../testing/page-registry.ts';
import { isOlderOnPhone, labelRemovals, ownLabels } from './chats.ts';

describe('labels', () => {
  const labels = [
    { id: '1' },
    { id: '2', type: 4 },
    { id: '3', type: 5, isActive: true },
    { id: '4', type: 0 },
    ...[1, 2, 3, 6, 7].map((type) => ({ id: `list ${type}`, type })),
    { id: 'deleted', type: 5, isActive: false },
    { id: 'lead', type: 11 },
  ];
  const WAWebCollections = { Label: { getModelsArray: () => labels } };
  const ids = (modules: object) => {
    stubPage({ WAWebCollections, ...modules });
    return ownLabels().map(({ id }) => id);
  };

  it('are those of the account, without lists of the network and deleted ones', () => {
    expect(ids({})).toEqual(['1', '2', '3', '4']);
    const ListType = { PREDEFINED: 4, CUSTOM: 5, SERVER_ASSIGNED: 7, LEAD: 11 };
    expect(ids({ WAWebSchemaLabel: { ListType } })).toEqual(['1', '2', '3', '4', 'lead']);
  });

  it("are removed with the network's detected labels", () => {
    const mapManualLabelIdToDetectedOutcomeLabelId = (id: string) => (id === '2' ? '70' : null);
    stubPage({ WAWebBizLabelUtils: { mapManualLabelIdToDetectedOutcomeLabelId } });
    expect(labelRemovals('1')).toEqual([{ id: '1', type: 'remove' }]);
    expect(labelRemovals('2')).toEqual([
      { id: '70', type: 'remove', listType: 7 },
      { id: '2', type: 'remove' },
    ]);
  });
});

it('the phone also has older messages of a chat that was not in the history; unknown during the sync', () => {
  const isOlder = (left: number | undefined) => isOlderOnPhone({ endOfHistoryTransferType: left ?? null } as never);
  expect([0, 1, 2, 3, 4, 5, undefined].map(isOlder)).toEqual([true, false, undefined, true, true, true, undefined]);
});
