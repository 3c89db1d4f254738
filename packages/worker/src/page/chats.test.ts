import { expect, it, vi } from 'vitest';
import { stubPage } from '../testing/page-registry.ts';
import { Wid } from '../testing/wid.ts';
import { clearChat, deleteChat, listChats, markChatRead, pinChat } from './chats.ts';
import { setChatLabels } from './labels.ts';

it.each([
  [{ sendDelete: async () => ({ status: 200 }) }, true],
  [{ sendDelete: async () => ({ status: 500 }) }, false],
  [{ sendDelete: async () => undefined }, true],
  [{ sendDelete: async () => undefined, sendDeleteWithStatus: async () => false }, false],
  [{ sendDelete: async () => undefined, sendDeleteWithStatus: async () => true }, true],
])('a chat is deleted unless the page reports a failure: case %#', async (WAWebDeleteChatAction, isDeleted) => {
  page({ id: '1@c.us' }, { WAWebDeleteChatAction });
  const deleted = deleteChat('1@c.us', 10);
  if (isDeleted) expect(await deleted).toEqual({ id: '1@c.us' });
  else await expect(deleted).rejects.toMatchObject({ code: 'client_failed' });
});

/** A page with that chat and these modules. */
function page(chat: object, modules: Record<string, object>): void {
  stubPage({
    WAWebConnModel: { Conn: { platform: 'smba' } },
    ...modules,
    WAWebCollections: { Chat: { get: () => chat }, ...modules.WAWebCollections },
  });
}
const fails = async () => {
  throw new Error('failed');
};

it('a chat is marked as read although an earlier attempt was lost with the connection', async () => {
  const chat = { id: '1@c.us', unreadCount: 3, pendingSeenCount: 3 };
  const sendSeen = vi.fn(async () => {
    if (chat.unreadCount > chat.pendingSeenCount) chat.unreadCount = 0;
  });
  page(chat, { WAWebUpdateUnreadChatAction: { sendSeen } });
  expect(await markChatRead('1@c.us', 10)).toMatchObject({ unreadCount: 0 });
  expect(sendSeen).toHaveBeenCalledTimes(2);
});

it('a chat that was unarchived, but could not be pinned, is not reported as unchanged', async () => {
  const WAWebChatPinBridge = { getNumConversationsPinned: async () => 0, getPinLimit: () => 3 };
  const modules = { WAWebChatPinBridge, WAWebSetArchiveChatAction: { setArchive: async () => {} } };
  for (const setPin of [fails, async () => {}]) {
    page({ archive: true }, { ...modules, WAWebSetPinChatAction: { setPin } });
    await expect(pinChat('1@c.us', true, 10)).rejects.toThrow('unarchived');
  }
  page({ archive: false }, { ...modules, WAWebSetPinChatAction: { setPin: fails } });
  await expect(pinChat('1@c.us', true, 10)).rejects.toThrow('failed');
  page({ archive: true }, { ...modules, WAWebSetArchiveChatAction: { setArchive: fails } });
  await expect(pinChat('1@c.us', true, 10)).rejects.toThrow('failed');
});

it('a chat may be cleared even if a later step of the page fails', async () => {
  const cleared: unknown[] = [];
  const finalizeClearChat = async (_: object, clearing: Promise<unknown>) =>
    void cleared.push(await clearing.catch(() => 'failed'));
  const modules = { WAWebClearChatUtils: { finalizeClearChat }, WAWebCollections: { Msg: { get: () => undefined } } };
  page({ id: '1@c.us' }, { ...modules, WAWebChatClearBridge: { sendClear: fails } });
  await expect(clearChat('1@c.us', 10)).rejects.toMatchObject({ code: 'outcome_unknown' });
  page({ id: '1@c.us' }, { ...modules, WAWebChatClearBridge: { sendClear: async () => undefined } });
  expect(await clearChat('1@c.us', 10)).toEqual({ id: '1@c.us' });
  expect(cleared).toEqual(['failed', undefined]);
});

it('labels that the page has sent but does not show are not reported as refused', async () => {
  const Label = { addOrRemoveLabelsMD: vi.fn(), getModelsArray: () => [{ id: '1' }] };
  const modules = { WAWebCollections: { Label }, WAWebEditLabelAssociationBridge: { editLabelAssociation: vi.fn() } };
  page({ labels: [] }, modules);
  await expect(setChatLabels('1@c.us', ['1'], 10)).rejects.toThrow('did not show');
  Label.addOrRemoveLabelsMD.mockImplementation(() => {
    throw new Error('failed');
  });
  await expect(setChatLabels('1@c.us', ['1'], 10)).rejects.toThrow('did not show');
});

it('an unreadable chat does not fail the others', () => {
  const unreadable = {
    id: new Wid('2@c.us'),
    get mute(): never {
      throw new Error('unreadable');
    },
  };
  const rows = [
    { id: new Wid('1@c.us'), t: 1 },
    unreadable,
    { id: new Wid('status@broadcast') },
    { id: new Wid('3@c.us'), t: 3 },
  ];
  stubPage({ WAWebCollections: { Chat: { getModelsArray: () => rows } } });
  expect(listChats()).toMatchObject([{ id: '1@c.us' }, { id: '3@c.us' }]);
});
