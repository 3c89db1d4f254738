import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { HopSigner, verifyHop } from './hop.ts';

const FROM = randomUUID();
const REQUEST = 'POST /sessions/main/messages';
const TO = randomUUID();
const said = { from: FROM, to: TO, address: '192.0.2.1', request: REQUEST };
const about = { request: REQUEST, to: TO };

afterEach(() => vi.useRealTimers());

describe('what a gateway says of a request that it forwards', () => {
  const [signer, other] = [new HopSigner(), new HopSigner()];
  const keyOf = (host: string) => (host === FROM ? signer.publicKey : undefined);

  it('is accepted for that request, for a minute', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const header = signer.sign(said);
    expect(verifyHop(header, about, keyOf)).toMatchObject(said);
    vi.advanceTimersByTime(59_000);
    expect(verifyHop(header, about, keyOf)).toMatchObject(said);
    vi.advanceTimersByTime(2_000);
    expect(verifyHop(header, about, keyOf)).toBeUndefined();
  });

  it.each([
    ['another request', () => [signer.sign(said), 'DELETE /sessions/main']],
    ['another recipient', () => [signer.sign({ ...said, to: randomUUID() }), REQUEST]],
    ['another key', () => [other.sign(said), REQUEST]],
    ['an unknown host', () => [signer.sign({ ...said, from: randomUUID() }), REQUEST]],
    ['another text', () => [`${Buffer.from(JSON.stringify(said)).toString('base64url')}.AAAA`, REQUEST]],
    ['no signature', () => [signer.sign(said).split('.')[0], REQUEST]],
    ['a clock ahead by an hour', () => [signedAhead(), REQUEST]],
    ['text', () => ['x', REQUEST]],
    ['an empty text', () => ['', REQUEST]],
  ])('is refused with %s', (_, make) => {
    const [header = '', request = ''] = make();
    expect(verifyHop(header, { request, to: TO }, keyOf)).toBeUndefined();
  });

  it('is refused from a host whose key is none', () => {
    expect(verifyHop(signer.sign(said), about, () => Buffer.from('no key'))).toBeUndefined();
  });

  function signedAhead(): string {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    const header = signer.sign(said);
    vi.useRealTimers();
    return header;
  }
});
