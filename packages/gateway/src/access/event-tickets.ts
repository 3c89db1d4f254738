import { randomBytes } from 'node:crypto';
import { type EventTicket, GatewayError } from '@chat-web/protocol';
import type { Caller } from './caller.ts';
import { Refusal } from './refusal.ts';
import { tokenHash } from './token.ts';

const LIFETIME_MS = 60_000;
const TICKET_BYTES = 32;
/** Tickets of one caller that are neither used nor expired. */
const MAX_OPEN = 1_000;

interface Issued {
  readonly caller: Caller;
  readonly chosen: EventTicket;
  /** On the clock of `performance.now()`. */
  readonly expiresAt: number;
}

/**
 * Tickets that open one event stream each, with the rights of the caller who asked for it: a browser's EventSource sends
 * no Authorization. Only their hashes are kept, in memory.
 */
export class EventTickets {
  /** By their hashes, the oldest first. */
  readonly #issued = new Map<string, Issued>();

  /** A ticket for what the caller has chosen. `rate_limited` if too many of the caller's are unused. */
  issue(caller: Caller, chosen: EventTicket): { readonly ticket: string; readonly expiresAt: string } {
    this.#dropExpired();
    const open = [...this.#issued.values()].filter((issued) => issued.caller.id === caller.id);
    if (open.length >= MAX_OPEN) {
      const seconds = Math.ceil(((open[0]?.expiresAt ?? 0) - performance.now()) / 1_000);
      throw new GatewayError('rate_limited', `${MAX_OPEN} tickets are unused: use them, or wait until they expire`, {
        retryAfterSeconds: Math.max(1, seconds),
      });
    }
    const ticket = `cwt_${randomBytes(TICKET_BYTES).toString('base64url')}`;
    this.#issued.set(tokenHash(ticket), { caller, chosen, expiresAt: performance.now() + LIFETIME_MS });
    return { ticket, expiresAt: new Date(Date.now() + LIFETIME_MS).toISOString() };
  }

  /** Uses a ticket up. Throws a Refusal if it is unknown, used or expired, or if its caller is no longer valid. */
  redeem(ticket: string): Pick<Issued, 'caller' | 'chosen'> {
    this.#dropExpired();
    const hash = tokenHash(ticket);
    const issued = this.#issued.get(hash);
    this.#issued.delete(hash);
    if (issued && !issued.caller.signal.aborted) return issued;
    throw new Refusal('wrong_ticket', 'the ticket is unknown, expired or already used: request another one');
  }

  #dropExpired(): void {
    const now = performance.now();
    for (const [hash, { expiresAt }] of this.#issued) {
      if (expiresAt > now) return;
      this.#issued.delete(hash);
    }
  }
}
