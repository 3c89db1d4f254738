import { afterEach, expect, it, vi } from 'vitest';
import { deleteMessage } from './messages.ts';
import { installOutcomeTools } from './tools/outcomes.ts';

afterEach(() => vi.unstubAllGlobals());

it.each([
  [{ messageSendResult: 'OK' }, 'everyone'],
  [undefined, 'everyone'],
  [{ messageSendResult: 'ERROR_UNKNOWN', ackErrorCode: 463 }, { refused: 463 }],
  [{ messageSendResult: 'ERROR_RATE_LIMIT' }, { refused: 429 }],
  [{ messageSendResult: 'ERROR_CANCELLED' }, 'ignored'],
  [{ messageSendResult: 'ERROR_EXPIRED' }, 'unknown'],
])('a deletion for everyone that ends with %j: %j, and not for the account alone', async (result, outcome) => {
  const sendDeleteMsgs = vi.fn();
  const modules: Record<string, unknown> = {
    WAWebCollections: { Chat: { get: () => ({}) } },
    WAWebMsgActionCapability: { canSenderRevokeMsg: () => true, canAdminRevokeMsg: () => false },
    WAWebChatSendMessages: { sendRevokeMsgs: async () => result && [result], sendDeleteMsgs },
  };
  const chatWebTools = {
    optional: () => undefined,
    findMessage: async () => ({ id: { remote: '1@c.us', fromMe: true }, type: 'chat' }),
    oneByOne: (_: object, act: () => unknown) => act(),
  };
  vi.stubGlobal('window', { chatWebTools, require: (name: string) => modules[name] });
  installOutcomeTools();
  expect(await deleteMessage('x', true)).toEqual(outcome);
  expect(sendDeleteMsgs).not.toHaveBeenCalled();
});
