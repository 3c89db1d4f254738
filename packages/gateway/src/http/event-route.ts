import { GatewayError, reaches, sessionId } from '@chat-web/protocol';
import * as v from 'valibot';
import { Refusal } from '../access/refusal.ts';
import type { Subscriber } from '../sessions/event-hub.ts';
import type { Admission } from './admission.ts';
import { RESPONSE_ALREADY_SENT } from './already-sent.ts';
import { parseParams } from './request-input.ts';
import { onResponseClose } from './response-close.ts';
import { ResponseStream } from './response-stream.ts';
import type { Route } from './server-env.ts';

const params = v.object({ id: sessionId });

/** Where the streams of sessions come from. */
export interface EventSource {
  /** The session of that id; 404 if there is none. `subscribe` returns a function that closes the stream. */
  find(id: string): { subscribe(subscriber: Subscriber): () => void };
}

/** The session's events over SSE, until the session is deleted, the gateway stops or the caller's credentials end. */
export function eventRoute(sessions: EventSource, admission: Admission): Route {
  return (c) => {
    const session = sessions.find(parseParams(c.req.param(), params).id);
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' });
    const { signal, scope, keyId } = c.get('caller');
    if (signal.aborted) throw new Refusal('expired_key', 'the key or token is no longer valid');
    const { incoming, outgoing } = c.env;
    // A body would be read for as long as the stream is open.
    if (!incoming.complete) throw new GatewayError('invalid_request', 'this request must not have a body');
    const leave = admission.enter(undefined, keyId);
    if (leave) onResponseClose(outgoing, leave);
    const stream = new ResponseStream(outgoing, { showsQr: reaches(scope, 'manage') });
    const close = session.subscribe(stream);
    const revoke = () => {
      close();
      stream.cutOff('the key or token is no longer valid');
    };
    signal.addEventListener('abort', revoke, { once: true });
    onResponseClose(outgoing, () => {
      close();
      signal.removeEventListener('abort', revoke);
    });
    if (!outgoing.destroyed) stream.open();
    return RESPONSE_ALREADY_SENT;
  };
}
