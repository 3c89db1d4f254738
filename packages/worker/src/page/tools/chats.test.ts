import { describe, expect, it } from 'vitest';
import { stubPage } from '../../testing/page-registry.ts';
import { isOlderOnPhone, labelRemovals, ownLabels, showState } from './chats.ts';

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

it.each([
  ["that of the page's choice", { getChatIdentifier: () => '1@c.us' }, '1@c.us'],
  ['the hidden one if the page has no choice', {}, '9@lid'],
  [
    'the hidden one if the page does not know it yet',
    {
      getChatIdentifier: () => {
        throw new Error('does not have an accountLid');
      },
    },
    '9@lid',
  ],
])('a state is shown by the id of the chat: %s', async (_which, WAWebPresenceChatAction, to) => {
  const shown: unknown[] = [];
  const WAWebChatStateBridge = { sendChatStatePaused: (id: unknown) => shown.push(id) };
  stubPage({ WAWebChatStateBridge, WAWebPresenceChatAction });
  await showState({ id: '1@c.us', accountLid: '9@lid' } as never, 'paused', 0);
  expect(shown).toEqual([to]);
});
