import { reaches, type Scope } from '@chat-web/protocol';
import { Refusal } from '../access/refusal.ts';
import type { Route } from './server-env.ts';

/**
 * A route behind a guard: refuses callers whose key does not cover the session in the path, whether that session exists
 * or not, or lacks the scope. Uses the path only, so that nothing else of the request is read before.
 */
export function requires(scope: Scope, route: Route): Route {
  return (c) => {
    const caller = c.get('caller');
    const session = c.req.param('id');
    if (session !== undefined && !caller.sees(session)) {
      throw new Refusal('foreign_session', 'there is no session with this id that the key may access');
    }
    if (!reaches(caller.scope, scope)) {
      const required = scope === 'operator' ? 'CHAT_WEB_TOKEN' : `a key with scope ${scope}`;
      throw new Refusal('insufficient_scope', `this requires ${required}; the key has scope ${caller.scope}`);
    }
    return route(c);
  };
}
