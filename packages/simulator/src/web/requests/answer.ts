import { NetworkRefusal } from '../../errors.ts';
import type { Network } from '../../network/network.ts';
import type { Login, PairingSession } from '../../network/pairing-session.ts';
import type { PairingRequestName, PairingRequests, RequestName } from '../../page/wire.ts';
import { accountRequests } from './account-requests.ts';
import { groupRequests } from './group-requests.ts';
import type { Handler, Handlers } from './handler.ts';
import { messageRequests } from './message-requests.ts';

type AnyHandler = (network: Network, asker: Login | PairingSession, params: unknown) => unknown;

const handlers: Handlers = { ...messageRequests, ...groupRequests, ...accountRequests };

/** Answers a request of a device that has logged in; rejects with a sentence. */
export async function answer(network: Network, login: Login, name: RequestName, params: unknown): Promise<unknown> {
  const refused = login.account.refusedRequests.get(name);
  if (refused !== undefined) {
    login.account.refusals += 1;
    throw new NetworkRefusal(refused, 'refused');
  }
  return (handlers[name] as AnyHandler)(network, login, params);
}

const pairingHandlers: { readonly [N in PairingRequestName]: Handler<PairingSession, PairingRequests[N]> } = {
  code: ({ linking }, session, { phone }) => ({ code: linking.code(session, phone) }),
  'passkey-options': ({ linking }, session) => linking.passkeys.options(session),
  'passkey-proof': ({ linking }, session, { assertion }) => linking.passkeys.verify(session, assertion),
  'passkey-confirm': ({ linking }, session) => linking.passkeys.confirm(session),
};

/** Answers a request of a page that is not linked; throws a NetworkRefusal. */
export function answerPairingRequest(
  network: Network,
  session: PairingSession,
  name: PairingRequestName,
  params: unknown,
): unknown {
  return (pairingHandlers[name] as AnyHandler)(network, session, params);
}
