import { GatewayError } from '@chat-web/protocol';
import { expect, it } from 'vitest';
import { afterChange } from '../after-change.ts';
import { fakeGateway } from '../testing/fake-gateway.ts';

/** More than the lines of a caller's refusals in a minute. */
const MANY = 610;
const TEXT = { type: 'text', to: '+12025550102', body: 'x' };

/** Requests after so many refusals and reads that no more of them are recorded. Returns the lines of the last ones. */
async function afterMany(handlers: NonNullable<Parameters<typeof fakeGateway>[0]>['handlers'], ...last: Sent[]) {
  const stopSession = () => {
    throw new GatewayError('session_not_found', 'there is no such session');
  };
  await using gateway = await fakeGateway({ handlers: { stopSession, ...handlers } });
  const ask = ({ method = 'POST', path, headers = {}, body }: Sent) =>
    gateway.request(`/sessions/main/${path}`, { method, headers, body });
  for (let n = 0; n < MANY; n += 1) {
    await ask({ path: 'stop' });
    await ask({ method: 'GET', path: 'events?after=oldest', headers: { accept: 'application/json' } });
  }
  const before = gateway.audit.all.length;
  expect(before).toBe(1_200);
  for (const one of last) await ask(one);
  return gateway.audit.all.slice(before);
}

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const privacy = { method: 'PUT', path: 'privacy', body: { lastSeen: 'none' } };
const refused = () => new GatewayError('not_permitted', 'the network does not permit it; changed before it: lastSeen');

it('a change that failed after a part was made is recorded, however many refusals were before', async () => {
  const updatePrivacy = () => {
    throw afterChange(refused());
  };
  expect(await afterMany({ updatePrivacy }, privacy)).toMatchObject([
    { operation: 'updatePrivacy', status: 403, code: 'not_permitted', skipped: 20 },
  ]);
});

it('so is one that was reported by another error', async () => {
  const exportSession = () => {
    throw new GatewayError('insufficient_resources', 'the disk is full', { cause: afterChange(new Error('ENOSPC')) });
  };
  expect(await afterMany({ exportSession }, { path: 'export' })).toMatchObject([{ status: 503 }]);
});

it('a change that failed before anything was done is counted only', async () => {
  const updatePrivacy = () => {
    throw refused();
  };
  expect(await afterMany({ updatePrivacy }, privacy, { path: 'stop' })).toEqual([]);
});

it('a read of the QR is recorded, a response that is replayed is counted only', async () => {
  const sendMessage = () => ({ id: 'x' });
  const send = { path: 'messages', body: TEXT, headers: { 'idempotency-key': 'one' } };
  const qr = { method: 'GET', path: 'qr' };
  expect(await afterMany({ sendMessage }, send, send, send, qr)).toMatchObject([
    { operation: 'sendMessage', status: 200 },
    { operation: 'getQr', status: 200, skipped: 2 },
  ]);
});
