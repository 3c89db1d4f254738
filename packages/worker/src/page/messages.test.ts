import { expect, it, vi } from 'vitest';
import { deleteMessage, editMessage } from './messages.ts';
import { installOutcomeTools } from './tools/outcomes.ts';

it.each([
  [{ messageSendResult: 'OK' }, 'everyone'],
  [undefined, 'everyone'],
  [{ messageSendResult: 'ERROR_UNKNOWN', ackErrorCode: 463 }, { refused: 463 }],
  [{ messageSendResult: 'ERROR_RATE_LIMIT' }, { refused: 429 }],
  [{ messageSendResult: 'ERROR_CANCELLED' }, 'ignored'],
  [{ messageSendResult: 'ERROR_EXPIRED' }, 'unknown'],
])('a deletion for everyone that ends with %j: %j, and never for the account only', async (result, outcome) => {
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

it.each([
  ['leaves a mark', 60, { isSendFailure: true }, 'unknown'],
  ['leaves a mark, of an old message,', 900, { isSendFailure: true }, 'too_late'],
  ['throws with a code', 60, Object.assign(new Error('refused'), { status: 408 }), { refused: 408 }],
])('an edit that %s, %d s after it was sent: %j, %j', async (_how, seconds, failure, outcome) => {
  const message = { id: { fromMe: true }, type: 'chat', t: Date.now() / 1_000 - seconds };
  const editing = async () => {
    if (failure instanceof Error) throw failure;
    Object.assign(message, failure);
  };
  const chatWebTools = {
    optional: () => undefined,
    findMessage: async () => message,
    whileEditing: (_: object, edit: () => unknown) => edit(),
    knownChat: () => undefined,
    mentionedStill: () => [],
    mentioned: (_: object, ids: readonly string[], text: string) => ({ ids, text }),
    hasFailedEdit: ({ isSendFailure }: { isSendFailure?: boolean }) => isSendFailure === true,
  };
  const require = () => ({ canEditText: () => true, canEditCaption: () => false });
  vi.stubGlobal('window', { chatWebTools, require, WWebJS: { editMessage: editing } });
  installOutcomeTools();
  expect(await editMessage('x', 'better', undefined)).toEqual(outcome);
});
