import { GatewayError } from '@chat-web/protocol';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRevocation, operator } from './caller.ts';
import { EventTickets } from './event-tickets.ts';

const revocation = createRevocation();
const caller = operator('token', revocation.signal);
const chosen = { sessions: ['main'] };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a ticket is redeemed once, within a minute', () => {
  const tickets = new EventTickets();
  const [one, other] = [tickets.issue(caller, chosen), tickets.issue(caller, {})];
  expect(Date.parse(one.expiresAt) - Date.now()).toBe(60_000);
  expect(one.ticket).not.toBe(other.ticket);
  vi.advanceTimersByTime(59_999);
  expect(tickets.redeem(one.ticket)).toMatchObject({ caller, chosen });
  expect(() => tickets.redeem(one.ticket)).toThrow(/already used/);
  vi.advanceTimersByTime(1);
  expect(() => tickets.redeem(other.ticket)).toThrow(/expired/);
  for (const wrong of ['', 'x', `${one.ticket}x`]) expect(() => tickets.redeem(wrong)).toThrow(/unknown/);
});

it('a ticket of a revoked caller is refused', () => {
  const tickets = new EventTickets();
  const ended = createRevocation();
  const { ticket } = tickets.issue(operator('token', ended.signal), {});
  ended.abort();
  expect(() => tickets.redeem(ticket)).toThrow(/another/);
});

it('a caller has a limited number of unused tickets, which is not that of others', () => {
  const tickets = new EventTickets();
  const issued = Array.from({ length: 1_000 }, () => tickets.issue(caller, {}));
  vi.advanceTimersByTime(20_000);
  const issue = () => tickets.issue(caller, {});
  expect(issue).toThrow(GatewayError);
  expect(issue).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 40 }));
  tickets.issue(operator('open', revocation.signal), {});
  tickets.redeem(issued[7]?.ticket ?? '');
  issue();
  expect(issue).toThrow(GatewayError);
  vi.advanceTimersByTime(40_000);
  issue();
});
