import { expect, it } from 'vitest';
import { Admission } from './admission.ts';

it('one key cannot take all requests of a session, nor all keys those of the operator', () => {
  const admission = new Admission({ maxRequestsPerSession: 20, maxRequestsPerKey: 16 });
  const enter = (session: string | undefined, key: string | undefined, count: number) =>
    Array.from({ length: count }, () => admission.enter(session, key));
  const [leave] = enter('main', 'a', 15);
  expect(() => enter('main', 'a', 1)).toThrow(
    /15 requests are in progress for this session with this key.*PER_SESSION/,
  );
  enter('other', 'a', 1);
  expect(() => enter('other', 'a', 1)).toThrow(/16 requests are in progress with this key.*PER_KEY/);
  enter('main', 'b', 3);
  expect(() => enter('main', 'b', 1)).toThrow(/18 requests are in progress for this session with keys/);
  enter('main', undefined, 2);
  expect(() => enter('main', undefined, 1)).toThrow(/20 requests are in progress for this session, /);
  leave?.();
  expect(() => enter('main', 'a', 1)).not.toThrow();
});

it('small limits are not divided', () => {
  const admission = new Admission({ maxRequestsPerSession: 1, maxRequestsPerKey: 1 });
  const leave = admission.enter('main', 'a');
  expect(() => admission.enter('main', undefined)).toThrow(/1 requests/);
  leave?.();
  admission.enter('main', 'b');
});
