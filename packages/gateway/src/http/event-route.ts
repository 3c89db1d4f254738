import { sessionId } from '@chat-web/protocol';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Handler } from 'hono';
import * as v from 'valibot';
import type { Supervisor } from '../sessions/supervisor.ts';
import { parseParams } from './request-input.ts';
import { ResponseStream } from './response-stream.ts';
import type { ServerEnv } from './server-env.ts';

const params = v.object({ id: sessionId });

/** The session's events as Server-Sent Events, until the session is deleted or the gateway stops. */
export function eventRoute(supervisor: Supervisor): Handler<ServerEnv> {
  return (c) => {
    const session = supervisor.find(parseParams(c.req.param(), params).id);
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' });
    const { outgoing } = c.env;
    const stream = new ResponseStream(outgoing);
    const close = session.subscribe(stream);
    outgoing.on('close', close);
    if (outgoing.destroyed)
      close(); // The caller has left already.
    else stream.open();
    return RESPONSE_ALREADY_SENT;
  };
}
