import type { HttpBindings } from '@hono/node-server';
import type { Caller } from '../access/caller.ts';

/** Hono bindings and variables of a request. */
export interface ServerEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: {
    /** Set by `authenticate`. */
    readonly caller: Caller;
  };
}
