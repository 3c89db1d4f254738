import { describe, expect, it, vi } from 'vitest';
import { type ChatTools, installChatTools } from './chats.ts';

/** A page of a business account with these modules. */
function page(modules: Record<string, unknown>): ChatTools {
  const window = {
    chatWebTools: { optional: (name: string) => modules[name] },
    require: (name: string) => modules[name],
    addEventListener: () => {},
  };
  vi.stubGlobal('window', window);
  installChatTools();
  return window.chatWebTools as unknown as ChatTools;
}

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
  const ids = (tools: ChatTools) => tools.ownLabels().map(({ id }) => id);

  it('are those of the account, without lists of the network and deleted ones', () => {
    expect(ids(page({ WAWebCollections }))).toEqual(['1', '2', '3', '4']);
    const ListType = { PREDEFINED: 4, CUSTOM: 5, SERVER_ASSIGNED: 7, LEAD: 11 };
    expect(ids(page({ WAWebCollections, WAWebSchemaLabel: { ListType } }))).toEqual(['1', '2', '3', '4', 'lead']);
  });

  it("are removed with the network's detected labels", () => {
    const mapManualLabelIdToDetectedOutcomeLabelId = (id: string) => (id === '2' ? '70' : null);
    const tools = page({ WAWebBizLabelUtils: { mapManualLabelIdToDetectedOutcomeLabelId } });
    expect(tools.labelRemovals('1')).toEqual([{ id: '1', type: 'remove' }]);
    expect(tools.labelRemovals('2')).toEqual([
      { id: '70', type: 'remove', listType: 7 },
      { id: '2', type: 'remove' },
    ]);
  });
});

it('the phone also has older messages of a chat that was not in the history; unknown during the sync', () => {
  const tools = page({});
  const isOlder = (left: number | undefined) =>
    tools.isOlderOnPhone({ endOfHistoryTransferType: left ?? null } as never);
  expect([0, 1, 2, 3, 4, 5, undefined].map(isOlder)).toEqual([true, false, undefined, true, true, true, undefined]);
});
