import { afterEach, expect, it, vi } from 'vitest';
import { deleteChat } from './chat-changes.ts';

afterEach(() => vi.unstubAllGlobals());

it.each([
  [{ sendDelete: async () => ({ status: 200 }) }, { id: '1@c.us' }],
  [{ sendDelete: async () => ({ status: 500 }) }, 'failed'],
  [{ sendDelete: async () => undefined }, { id: '1@c.us' }],
  [{ sendDelete: async () => undefined, sendDeleteWithStatus: async () => false }, 'failed'],
  [{ sendDelete: async () => undefined, sendDeleteWithStatus: async () => true }, { id: '1@c.us' }],
])('a chat is deleted unless the page says that it is not: case %#', async (WAWebDeleteChatAction, outcome) => {
  const chatWebTools = { findChat: () => ({ id: '1@c.us' }), phoneOr: String };
  vi.stubGlobal('window', { chatWebTools, require: () => WAWebDeleteChatAction });
  expect(await deleteChat('1@c.us', 10)).toEqual(outcome);
});
