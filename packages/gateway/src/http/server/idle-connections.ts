import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Above this share of the limit, each new connection takes the place of the one that has been idle longest. */
const CROWDED_SHARE = 0.9;

/**
 * Closes idle connections before a server reaches its limit of connections, the longest idle first. Idle connections
 * are kept for long, and a request that opens one needs no token: without this, they could occupy the limit.
 */
export function closeLongestIdle(server: Server): void {
  /** Connections that wait for their next request, the longest idle first. */
  const idle = new Set<Socket>();
  const last = new WeakMap<Socket, ServerResponse>();
  let open = 0;

  /** One function for all responses. The connection of a pipelined response is not idle yet. */
  function becomeIdle(this: ServerResponse): void {
    const { socket } = this.req;
    if (!socket.destroyed && last.get(socket) === this) idle.add(socket);
  }

  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    if (open <= server.maxConnections * CROWDED_SHARE) return;
    const [longest] = idle;
    if (!longest) return;
    idle.delete(longest);
    longest.destroy();
  });
  server.on('request', ({ socket }, response) => {
    if (!last.has(socket)) socket.once('close', () => idle.delete(socket));
    last.set(socket, response);
    idle.delete(socket);
    response.on('close', becomeIdle);
  });
}
