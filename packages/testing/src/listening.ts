import { type AddressInfo, createServer, type Server } from 'node:net';

/** Makes a server listen on loopback, on a free port if none is given. Resolves with its port. */
export async function listening(server: Pick<Server, 'listen' | 'address'>, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** A port of loopback on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
