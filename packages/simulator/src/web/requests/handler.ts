import type { Network } from '../../network/network.ts';
import type { Login } from '../../network/pairing-session.ts';
import type { RequestName, Requests } from '../../page/wire.ts';

/** Answers one kind of request; throws a SimulatorError or a NetworkRefusal to refuse. Without a result, null is sent. */
export type Handler<Asker, Request extends { params: unknown; result: unknown }> = [Request['result']] extends [null]
  ? (network: Network, asker: Asker, params: Request['params']) => void
  : (network: Network, asker: Asker, params: Request['params']) => Request['result'] | Promise<Request['result']>;

/** For the requests of a device that has logged in. */
export type Handlers = { readonly [N in RequestName]: Handler<Login, Requests[N]> };
