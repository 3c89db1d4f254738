import type { EventTicket } from '@chat-web/protocol';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Caller } from '../access/caller.ts';
import type { ForwardedFor } from '../cluster/cluster.ts';

export interface ServerEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: {
    /** Set by `authenticated`, or by a ticket. */
    readonly caller: Caller;
    /** What the ticket of the request was created for; undefined without one. */
    readonly chosen: EventTicket | undefined;
    /** Set for a request that another gateway of the cluster forwards. */
    readonly forwardedFor: ForwardedFor | undefined;
  };
}

/** Answers a request; throws to refuse it. */
export type Route = (c: Context<ServerEnv>) => Response | Promise<Response>;

/** The address of the caller; undefined on a unix socket. */
export function addressOf(c: Context<ServerEnv>): string | undefined {
  return c.get('forwardedFor')?.address ?? c.env.incoming?.socket.remoteAddress;
}
