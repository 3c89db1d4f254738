import type { HttpBindings } from '@hono/node-server';

/** What the server hands to every request beside the request itself. */
export interface ServerEnv {
  readonly Bindings: HttpBindings;
}
