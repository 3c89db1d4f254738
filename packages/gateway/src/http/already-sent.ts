import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

/**
 * What a route returns after writing to `outgoing` itself. The library recognises it only as a platform Response; made
 * after a first server was created, it would be the library's own kind, and its headers sent a second time. Reading its
 * body turns it into a platform Response.
 */
void RESPONSE_ALREADY_SENT.body;

export { RESPONSE_ALREADY_SENT };
