import type { HttpBindings } from '@hono/node-server';
import type { Caller } from '../access/caller.ts';

/** What the server hands to every request beside the request itself, and what is found out about it on its way. */
export interface ServerEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: {
    /** Set for whoever comes past `authenticate`. */
    readonly caller: Caller;
  };
}
