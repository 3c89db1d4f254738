import { expect, it } from 'vitest';
import { stubPage } from '../testing/page-registry.ts';
import { followChannel, unfollowChannel } from './channels.ts';

const ID = '120363000000000022@newsletter';

/** A page with this function to unfollow, which receives the channel's metadata. */
function page(unfollow: (metadata: { membershipType: string }) => void) {
  const newsletterMetadata = { membershipType: 'subscriber' };
  stubPage({
    WAWebCollections: { WAWebNewsletterCollection: { get: () => ({ id: ID, newsletterMetadata }) } },
    WAWebNewsletterUnsubscribeAction: { unsubscribeFromNewsletterAction: async () => unfollow(newsletterMetadata) },
  });
}

it.each([
  ['a refusal of the network', { status: 429 }, 'subscriber', 'rate_limited'],
  ['an error of the page, which may come from a later step', new Error('no storage'), 'subscriber', 'outcome_unknown'],
  ['an error after unfollowing', new Error('no storage'), 'guest', undefined],
] as const)('unfollowing a channel, with %s', async (_, error, role, outcome) => {
  page((metadata) => {
    metadata.membershipType = role;
    throw error;
  });
  if (outcome === undefined) await unfollowChannel(ID);
  else await expect(unfollowChannel(ID)).rejects.toMatchObject({ code: outcome });
});

it.each([
  ['a refusal of the network', { status: 429 }, 'guest', 'rate_limited'],
  ['an error of the page, such as an unreadable answer', new Error('no field'), 'guest', 'outcome_unknown'],
  ['an error after following', new Error('no storage'), 'subscriber', undefined],
] as const)('following a channel, with %s', async (_, error, role, outcome) => {
  const newsletterMetadata = { membershipType: 'guest' };
  const chat = { id: ID, newsletterMetadata };
  stubPage({
    WAWebCollections: { WAWebNewsletterCollection: { get: () => chat } },
    WAWebLoadNewsletterPreviewChatAction: { loadNewsletterPreviewChat: async () => chat },
    WAWebNewsletterSubscribeAction: {
      subscribeToNewsletterAction: async () => {
        newsletterMetadata.membershipType = role;
        throw error;
      },
    },
  });
  if (outcome === undefined) await followChannel(ID);
  else await expect(followChannel(ID)).rejects.toMatchObject({ code: outcome });
});

it.each([
  [404, 'chat_not_found'],
  [403, 'not_permitted'],
  [405, 'not_permitted'],
  [419, 'not_permitted'],
  [423, 'not_permitted'],
  [429, 'rate_limited'],
  [409, 'client_failed'],
  [500, 'outcome_unknown'],
])('a refusal of the network with %i is %s', async (status, code) => {
  page(() => {
    throw Object.assign(new Error('refused'), { status });
  });
  await expect(unfollowChannel(ID)).rejects.toMatchObject({ code });
});
