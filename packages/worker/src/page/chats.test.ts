import { expect, it, vi } from 'vitest';
import { Wid } from '../testing/wid.ts';
import { listChats } from './chats.ts';
import { installChatTools } from './tools/chats.ts';
import { installIdTools } from './tools/identities.ts';

const id = (text: string) => new Wid(text);

it('an unreadable chat does not fail the others', () => {
  const unreadable = {
    id: id('2@c.us'),
    get mute(): never {
      throw new Error('unreadable');
    },
  };
  const rows = [{ id: id('1@c.us'), t: 1 }, unreadable, { id: id('status@broadcast') }, { id: id('3@c.us'), t: 3 }];
  const modules: Record<string, unknown> = {
    WAWebCollections: { Chat: { getModelsArray: () => rows } },
    WAWebWidFactory: { createWid: id },
    WAWebMsgKey: class {},
    WAWebUserPrefsMeUser: { getMaybeMePnUser: () => undefined, getMaybeMeLidUser: () => undefined },
  };
  const chatWebTools = { isChat: (chat: { id: object }) => !String(chat.id).endsWith('@broadcast') };
  const window = { chatWebTools, require: (name: string) => modules[name], addEventListener: () => {} };
  vi.stubGlobal('window', window);
  installIdTools(Number.POSITIVE_INFINITY);
  installChatTools();
  expect(listChats()).toMatchObject([{ id: '1@c.us' }, { id: '3@c.us' }]);
});
