import type { Network } from '../../network/network.ts';
import type { Offer } from '../../network/offer.ts';
import type { OfferRequestName, OfferRequests } from '../../page/wire.ts';

type OfferHandler<N extends OfferRequestName> = (
  network: Network,
  offer: Offer,
  params: OfferRequests[N]['params'],
) => OfferRequests[N]['result'];

const handlers: { readonly [N in OfferRequestName]: OfferHandler<N> } = {
  code: ({ linking }, offer, { phone }) => ({ code: linking.code(offer, phone) }),
  'passkey-options': ({ linking }, offer) => linking.passkeys.options(offer),
  'passkey-proof': ({ linking }, offer, { assertion }) => {
    linking.passkeys.prove(offer, assertion);
    return null;
  },
  'passkey-confirm': ({ linking }, offer) => {
    linking.passkeys.confirm(offer);
    return null;
  },
};

/** Answers a request of a page that is not linked; throws a NetworkRefusal. */
export function answerOffer(network: Network, offer: Offer, name: OfferRequestName, params: unknown): unknown {
  const handler = handlers[name] as OfferHandler<OfferRequestName>;
  return handler(network, offer, params as never);
}
