import { expect, it, vi } from 'vitest';
import { stubPage } from '../testing/page-registry.ts';
import { deleteMessage, editMessage } from './messages.ts';

it.each([
  [{ messageSendResult: 'OK' }, 'everyone'],
  [undefined, 'everyone'],
  [{ messageSendResult: 'ERROR_UNKNOWN', ackErrorCode: 463 }, { refused: 463 }],
  [{ messageSendResult: 'ERROR_RATE_LIMIT' }, { refused: 429 }],
  [{ messageSendResult: 'ERROR_CANCELLED' }, 'ignored'],
  [{ messageSendResult: 'ERROR_EXPIRED' }, 'unknown'],
])('a deletion for everyone that ends with %j: %j, and never for the account only', async (result, outcome) => {
  const sendDeleteMsgs = vi.fn();
  const message = { id: { remote: '1@c.us', fromMe: true }, type: 'chat' };
  stubPage({
    WAWebCollections: { Chat: { get: () => ({}) }, Msg: { get: () => message } },
    WAWebMsgActionCapability: { canSenderRevokeMsg: () => true, canAdminRevokeMsg: () => false },
    WAWebChatSendMessages: { sendRevokeMsgs: async () => result && [result], sendDeleteMsgs },
  });
  expect(await deleteMessage('x', true)).toEqual(outcome);
  expect(sendDeleteMsgs).not.toHaveBeenCalled();
});

it.each([
  ['leaves a mark', 60, { isSendFailure: true }, 'unknown'],
  ['leaves a mark, of an old message,', 900, { isSendFailure: true }, 'too_late'],
  ['throws with a code', 60, Object.assign(new Error('refused'), { status: 408 }), { refused: 408 }],
])('an edit that %s, %d s after it was sent: %j, %j', async (_how, seconds, failure, outcome) => {
  const message = { id: { fromMe: true, remote: '1@c.us' }, type: 'chat', t: Date.now() / 1_000 - seconds };
  const editing = async () => {
    if (failure instanceof Error) throw failure;
    Object.assign(message, failure);
  };
  const modules = {
    WAWebCollections: { Msg: { get: () => message } },
    WAWebMsgActionCapability: { canEditText: () => true, canEditCaption: () => false },
  };
  stubPage(modules, { window: { WWebJS: { editMessage: editing } } });
  expect(await editMessage('x', 'better', undefined)).toEqual(outcome);
});
