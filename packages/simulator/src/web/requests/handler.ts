import type { Network } from '../../network/network.ts';
import type { Login } from '../../network/offer.ts';
import type { RequestName, Requests } from '../../page/wire.ts';

/** Answers one kind of request of a device that has logged in; throws a SimulatorError to refuse. */
export type Handler<N extends RequestName> = (
  network: Network,
  login: Login,
  params: Requests[N]['params'],
) => Requests[N]['result'] | Promise<Requests[N]['result']>;

/** Some of the handlers, by the names of their requests. */
export type Handlers<N extends RequestName> = { readonly [Name in N]: Handler<Name> };
