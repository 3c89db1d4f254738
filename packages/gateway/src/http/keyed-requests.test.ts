import { GatewayError } from '@chat-web/protocol';
import { expect, it } from 'vitest';
import { fakeGateway, TOKEN } from '../testing/fake-gateway.ts';

const body = { type: 'text', to: '+12025550102', body: 'hello' };

it('a key belongs to its caller', async () => {
  const answers = ['first', 'second', 'third'];
  await using gateway = await fakeGateway({
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
  await using gateway = await fakeGateway({
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

it('a key stands for the bytes of an upload, and for what a form says of it', async () => {
  await using gateway = await fakeGateway({ handlers: { sendMessage: () => ({ id: 'sent' }) } });
  const statusOf = async (name: string, type: string, bytes = 'bytes') => {
    const parts = [
      '--x\r\nContent-Disposition: form-data; name="type"\r\n\r\ndocument',
      '\r\n--x\r\nContent-Disposition: form-data; name="to"\r\n\r\n12025550102',
      `\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n${bytes}`,
      '\r\n--x--\r\n',
    ];
    const headers = { 'content-type': 'multipart/form-data; boundary=x', 'idempotency-key': 'k' };
    const sent = { method: 'POST', headers, body: parts.join('') };
    return (await gateway.request('/sessions/main/messages', sent)).status;
  };
  expect(await statusOf('offer.pdf', 'application/pdf')).toBe(200);
  expect(await statusOf('offer.pdf', 'application/pdf')).toBe(200);
  expect(await statusOf('invoice.pdf', 'application/pdf')).toBe(422);
  expect(await statusOf('offer.pdf', 'text/plain')).toBe(422);
  expect(await statusOf('offer.pdf', 'application/pdf', 'other bytes')).toBe(422);
  expect(gateway.handled).toHaveLength(1);
});
