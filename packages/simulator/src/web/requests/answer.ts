import type { Network } from '../../network/network.ts';
import type { Login } from '../../network/offer.ts';
import { NetworkRefusal } from '../../network/refusal.ts';
import type { RequestName } from '../../page/wire.ts';
import { accountRequests } from './account-requests.ts';
import { channelRequests } from './channel-requests.ts';
import { chatRequests } from './chat-requests.ts';
import { groupRequests } from './group-requests.ts';
import type { Handler, Handlers } from './handler.ts';
import { messageRequests } from './message-requests.ts';
import { peopleRequests } from './people-requests.ts';

const handlers: Handlers<RequestName> = {
  ...messageRequests,
  ...chatRequests,
  ...groupRequests,
  ...peopleRequests,
  ...accountRequests,
  ...channelRequests,
};

/** Answers a request of a device that has logged in; rejects with a sentence. */
export async function answer(network: Network, login: Login, name: RequestName, params: unknown): Promise<unknown> {
  const refused = login.account.refusedRequests.get(name);
  if (refused !== undefined) throw new NetworkRefusal(refused, 'refused');
  const handler = handlers[name] as Handler<RequestName>;
  return handler(network, login, params as never);
}
