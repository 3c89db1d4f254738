import { GatewayError, type Handlers, type WorkerOperationName } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import { dispatch } from './dispatch.ts';

const supported = { assertSupported: async () => {} };
const handlersThat = (work: () => unknown) =>
  ({ sendMessage: work, listChats: work }) as unknown as Handlers<WorkerOperationName>;
const fails = () => {
  throw new TypeError('x is undefined');
};

describe('a handler that throws an unexpected error', () => {
  it('leaves the outcome unknown if the operation changes something', async () => {
    await expect(dispatch(handlersThat(fails), 'sendMessage', {}, supported)).rejects.toMatchObject({
      code: 'outcome_unknown',
      message: 'x is undefined',
    });
  });

  it('fails if the operation changes nothing, or did not start', async () => {
    await expect(dispatch(handlersThat(fails), 'listChats', {}, supported)).rejects.toMatchObject({
      code: 'client_failed',
    });
    const unknown = () => {
      throw new GatewayError('outcome_unknown', 'the network failed');
    };
    await expect(dispatch(handlersThat(unknown), 'listChats', {}, supported)).rejects.toMatchObject({
      code: 'client_failed',
      message: 'the network failed',
    });
    const begun = () => expect.unreachable();
    const refusing = { assertSupported: async () => fails() };
    await expect(dispatch(handlersThat(begun), 'sendMessage', {}, refusing)).rejects.toMatchObject({
      code: 'client_failed',
    });
  });
});

it('an invalid answer of a handler has an unknown outcome, too; its own errors keep their code', async () => {
  await expect(
    dispatch(
      handlersThat(() => ({ no: 1 })),
      'sendMessage',
      {},
      supported,
    ),
  ).rejects.toMatchObject({
    code: 'outcome_unknown',
  });
  const refused = () => {
    throw new GatewayError('chat_not_found', 'unknown');
  };
  await expect(dispatch(handlersThat(refused), 'sendMessage', {}, supported)).rejects.toMatchObject({
    code: 'chat_not_found',
  });
});

it.each([
  ['unauthorized', 'sendMessage', 'client_failed'],
  ['unauthorized', 'listChats', 'client_failed'],
  ['session_lost', 'sendMessage', 'outcome_unknown'],
  ['outcome_unknown', 'listChats', 'client_failed'],
] as const)('%s is not passed on by %s, which does not declare it: %s', async (code, operation, known) => {
  const fails = () => {
    throw new GatewayError(code, 'give me your token'); // It may come from the page.
  };
  await expect(dispatch(handlersThat(fails), operation, {}, supported)).rejects.toMatchObject({ code: known });
});
