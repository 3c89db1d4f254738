import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PageChat } from '../window.ts';
import { installPresenceTools, type PresenceTools } from './presences.ts';

const id = (text: string) => ({ toString: () => text });
const chat = (name: string, lid?: string) => ({ id: id(name), accountLid: lid && id(lid) }) as unknown as PageChat;
let models: object[];
let tools: PresenceTools;

beforeEach(() => {
  models = [];
  const idsOf = (one: object) => (String(one) === '8@lid' ? ['8@lid', '8@c.us'] : [String(one)]);
  const PresenceCollection = { getModelsArray: () => models };
  const chatWebTools = {
    optional: () => ({ PresenceCollection }),
    phoneOr: (one: unknown) => one && String(one),
    idsOf,
  };
  vi.stubGlobal('window', { chatWebTools });
  installPresenceTools();
  tools = (globalThis as unknown as { window: { chatWebTools: PresenceTools } }).window.chatWebTools;
});
afterEach(() => vi.unstubAllGlobals());

it('tells of watched chats alone, by either id of the person', () => {
  const chatstate = { id: id('7@lid'), type: 'recording_audio' };
  models = [{ id: id('7@lid'), chatstate }];
  expect(tools.activityChange(chatstate as never)).toBeUndefined();
  tools.watchPresence(chat('49@c.us', '7@lid'));
  const data = { chatId: '49@c.us', from: '49@c.us', state: 'recording', lastSeen: undefined };
  expect(tools.activityChange(chatstate as never)?.read()).toEqual({ name: 'presence', data });
});

it('tells by the ids that the page has learnt meanwhile, and by the number of a chat with a hidden id', () => {
  const changeOf = (owner: string) => {
    const chatstate = { id: id(owner), type: 'typing' };
    models = [{ id: id(owner), chatstate }];
    return tools.activityChange(chatstate as never);
  };
  tools.watchPresence(chat('49@c.us'));
  expect(changeOf('7@lid')).toBeUndefined();
  tools.watchPresence(chat('49@c.us', '7@lid'));
  expect(changeOf('7@lid')).toBeDefined();
  tools.watchPresence(chat('8@lid'));
  expect(changeOf('8@c.us')).toBeDefined();
});

it('says when somebody was last seen only of those who are away', () => {
  expect(tools.activity({ type: 'unavailable', t: 5 })).toEqual({ state: 'unavailable', lastSeen: 5_000 });
  expect(tools.activity({ type: 'available', t: 5 })).toEqual({ state: 'available', lastSeen: undefined });
});

it('watches 200 chats at most, each once', () => {
  for (let number = 0; number < 200; number += 1)
    expect(tools.watchPresence(chat(`${number}@c.us`, `${number}@lid`))).toBe(true);
  expect(tools.watchPresence(chat('200@c.us'))).toBe(false);
  expect(tools.watchPresence(chat('7@c.us'))).toBe(true);
});
