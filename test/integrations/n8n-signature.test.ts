import { createHmac, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';

type IsSigned = (delivery: { headers: Record<string, string>; body: Buffer }, secret: string, now: number) => boolean;

const require = createRequire(import.meta.url);
const built = '../../packages/n8n-nodes-chat-web/dist/nodes/ChatWeb/signature.js';
const { isSigned } = require(built) as { isSigned: IsSigned };

const key = randomBytes(32);
const secret = `whsec_${key.toString('base64')}`;
const body = Buffer.from('{"type":"message"}');
const seconds = 1_800_000_000;

function headersOf(signed = body, id = 'a-1', timestamp = String(seconds)) {
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(signed).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` };
}
const check = (headers: Record<string, string>, secondsLater = 0) =>
  isSigned({ headers, body }, secret, (seconds + secondsLater) * 1_000);

it('accepts what is signed with the secret, also beside other signatures', () => {
  const headers = headersOf();
  expect(check(headers)).toBe(true);
  const other = `v1,${randomBytes(32).toString('base64')}`;
  expect(check({ ...headers, 'webhook-signature': `${other} ${headers['webhook-signature']}` })).toBe(true);
});

it.each<[string, Record<string, string>]>([
  ['another body', headersOf(Buffer.from('{}'))],
  ['another id', { ...headersOf(), 'webhook-id': 'a-2' }],
  ['another time', { ...headersOf(), 'webhook-timestamp': String(seconds + 1) }],
  ['another secret', { ...headersOf(), 'webhook-signature': `v1,${randomBytes(32).toString('base64')}` }],
  ['no version', { ...headersOf(), 'webhook-signature': headersOf()['webhook-signature'].slice(3) }],
  ['no signature', { 'webhook-id': 'a-1', 'webhook-timestamp': String(seconds) }],
  ['no time', { ...headersOf(body, 'a-1', 'x') }],
])('refuses %s', (_, headers) => {
  expect(check(headers)).toBe(false);
});

it('refuses what is older than five minutes, or comes from the future', () => {
  expect([300, 301, -300, -301].map((later) => check(headersOf(), later))).toEqual([true, false, true, false]);
});
