import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** Closes it and every connection, WebSockets included. */
  close(): Promise<void>;
}

/** Starts to listen on loopback; rejects with the system's error, such as EADDRINUSE. */
export async function listen(server: HttpServer | HttpsServer, port: number): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port: (server.address() as AddressInfo).port, close };
}
