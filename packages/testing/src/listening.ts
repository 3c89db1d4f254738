import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Makes a server listen, on a free port if none is given. Resolves with its port; rejects if it cannot listen there. */
export async function listening(server: Server, port = 0, host = '127.0.0.1'): Promise<number> {
  await once(server.listen(port, host), 'listening');
  return (server.address() as AddressInfo).port;
}

/** A port of loopback on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
