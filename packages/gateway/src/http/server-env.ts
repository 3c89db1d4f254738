import type { EventTicket } from '@chat-web/protocol';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Caller } from '../access/caller.ts';

export interface ServerEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: {
    /** Set by `authenticated`, or by a ticket. */
    readonly caller: Caller;
    /** What the ticket of the request was created for; undefined without one. */
    readonly chosen: EventTicket | undefined;
  };
}

/** Answers a request; throws to refuse it. */
export type Route = (c: Context<ServerEnv>) => Response | Promise<Response>;
