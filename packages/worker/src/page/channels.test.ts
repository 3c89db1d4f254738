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
  ['a refusal of the network', { status: 429 }, 'subscriber', { refused: 429 }],
  ['an error of the page, which may come from a later step', new Error('no storage'), 'subscriber', 'unknown'],
  ['an error after unfollowing', new Error('no storage'), 'guest', 'ok'],
] as const)('unfollowing a channel, with %s', async (_, error, role, outcome) => {
  page((metadata) => {
    metadata.membershipType = role;
    throw error;
  });
  expect(await unfollowChannel(ID)).toEqual(outcome);
});

it.each([
  ['a refusal of the network', { status: 429 }, 'guest', { refused: 429 }],
  ['an error of the page, such as an unreadable answer', new Error('no field'), 'guest', 'unknown'],
  ['an error after following', new Error('no storage'), 'subscriber', 'ok'],
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
  expect(await followChannel(ID)).toEqual(outcome);
});
