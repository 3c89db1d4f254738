import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Caller } from '../access/caller.ts';

export interface ServerEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: {
    /** Set by `authenticated`. */
    readonly caller: Caller;
  };
}

/** Answers a request; throws to refuse it. */
export type Route = (c: Context<ServerEnv>) => Response | Promise<Response>;
