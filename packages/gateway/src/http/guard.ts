import { reaches, type Scope } from '@chat-web/protocol';
import type { MiddlewareHandler } from 'hono';
import { Refusal } from '../access/refusal.ts';
import type { ServerEnv } from './server-env.ts';

/**
 * Refuses callers whose key is for other sessions, whether there is one of that id or not, or does not go so far. It
 * looks at the path alone: whatever else a request has is not read before.
 */
export function requires(scope: Scope): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const caller = c.get('caller');
    const session = c.req.param('id');
    if (session !== undefined && !caller.sees(session)) {
      throw new Refusal('foreign_session', 'the key knows no session of that id');
    }
    if (!reaches(caller.scope, scope)) {
      const wanted = scope === 'operator' ? 'CHAT_WEB_TOKEN itself' : `a key of the scope ${scope}`;
      throw new Refusal('insufficient_scope', `this takes ${wanted}, and the key has the scope ${caller.scope}`);
    }
    await next();
  };
}
