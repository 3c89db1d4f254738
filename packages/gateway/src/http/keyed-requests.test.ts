import { GatewayError } from '@chat-web/protocol';
import { expect, it } from 'vitest';
import { fakeGateway, TOKEN } from '../testing/fake-gateway.ts';

const body = { type: 'text', to: '+12025550102', body: 'hello' };

it('a key belongs to its caller', async () => {
  const answers = ['first', 'second', 'third'];
  using gateway = await fakeGateway({
    settings: { CHAT_WEB_TOKEN: TOKEN },
    handlers: { sendMessage: () => ({ id: answers.shift() }) },
  });
  const made = await Promise.all(
    ['one', 'two'].map((name) => gateway.keys.create({ name, scope: 'send', sessions: ['*'] })),
  );
  const callers = [TOKEN, ...made.map(({ key }) => key)];
  const ask = async (token = '') => {
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': 'the same' };
    const answer = await gateway.request('/sessions/main/messages', { method: 'POST', headers, body });
    return [await answer.json(), answer.headers.get('Idempotent-Replayed')];
  };
  const inTurn = async () => [await ask(callers[0]), await ask(callers[1]), await ask(callers[2])];
  expect(await inTurn()).toEqual([
    [{ id: 'first' }, null],
    [{ id: 'second' }, null],
    [{ id: 'third' }, null],
  ]);
  expect(await inTurn()).toEqual([
    [{ id: 'first' }, 'true'],
    [{ id: 'second' }, 'true'],
    [{ id: 'third' }, 'true'],
  ]);
});

it('the id of a message whose outcome is unknown is in the answer', async () => {
  using gateway = await fakeGateway({
    handlers: {
      sendMessage: () => {
        throw new GatewayError('outcome_unknown', 'the worker died');
      },
    },
  });
  const headers = { 'idempotency-key': 'k' };
  const answer = await gateway.request('/sessions/main/messages', { method: 'POST', headers, body });
  expect(await answer.json()).toMatchObject({
    code: 'outcome_unknown',
    id: expect.stringMatching(/^3EB0[0-9A-F]{18}$/),
  });
});
