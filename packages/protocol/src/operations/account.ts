import * as v from 'valibot';
import { EXAMPLE_PNG, exampleSession } from '../examples.ts';
import { LIMITS, writtenText } from '../limits.ts';
import { fromOnePlace, mediaFields } from '../media.ts';
import type { Operation } from '../operation.ts';
import { presence, privacy, profile } from '../resources.ts';
import { CHANGE_ERRORS, changing, ofSession, reading } from './common.ts';

const { url, base64, mimeType } = mediaFields;

const name = v.pipe(
  v.string(),
  v.check((written) => written.trim() !== '', 'must not be empty or blank'),
  v.maxLength(25, 'must be at most 25 characters'),
);
const about = v.pipe(v.string(), v.maxLength(139, 'must be at most 139 characters'));

const audience = v.optional(v.picklist(['all', 'contacts', 'none'], 'must be all, contacts or none'));
const privacyChange = v.pipe(
  v.strictObject({
    lastSeen: audience,
    online: v.optional(v.picklist(['all', 'match_last_seen'], 'must be all or match_last_seen')),
    profilePicture: audience,
    about: audience,
    readReceipts: v.optional(v.picklist(['all', 'none'], 'must be all or none')),
    groups: v.optional(v.picklist(['all', 'contacts'], 'must be all or contacts')),
    calls: v.optional(v.picklist(['all', 'known'], 'must be all or known')),
  }),
  v.check((change) => Object.values(change).some((value) => value !== undefined), 'must name at least one setting'),
);

const changingAccount = { ...changing, params: ofSession, errors: [...CHANGE_ERRORS, 'not_permitted'] } as const;

export const accountOperations = {
  getProfile: {
    ...reading,
    summary: "Get the account's own ids, name and about text, and whether it is a business account",
    path: '/sessions/:id/profile',
    params: ofSession,
    answer: profile,
    timeoutMs: 15_000,
    examples: { own: exampleSession },
  },
  setProfileName: {
    ...changingAccount,
    summary: 'Change the name that others see; not for business accounts',
    method: 'PUT',
    path: '/sessions/:id/profile/name',
    body: v.strictObject({ name }),
    answer: v.object({ name: writtenText(LIMITS.name) }),
    examples: { new: { ...exampleSession, name: 'Ada at the shop' } },
  },
  setProfileAbout: {
    ...changingAccount,
    summary: 'Change the about text; an empty one removes it',
    method: 'PUT',
    path: '/sessions/:id/profile/about',
    body: v.strictObject({ about }),
    answer: v.object({ about: writtenText(LIMITS.name) }),
    examples: { new: { ...exampleSession, about: 'Open from 9 to 5' } },
  },
  setProfilePicture: {
    ...changingAccount,
    summary: 'Change the profile picture: an image, cut to a square',
    method: 'PUT',
    path: '/sessions/:id/profile/picture',
    body: v.pipe(v.strictObject({ url, base64, mimeType }), fromOnePlace()),
    answer: v.object({ changed: v.literal(true) }),
    errors: [...CHANGE_ERRORS, 'not_permitted', 'media_unavailable'],
    timeoutMs: 90_000,
    examples: { image: { ...exampleSession, base64: EXAMPLE_PNG, mimeType: 'image/png' } },
  },
  removeProfilePicture: {
    ...changingAccount,
    summary: 'Remove the profile picture',
    method: 'DELETE',
    path: '/sessions/:id/profile/picture',
    answer: v.object({ removed: v.literal(true) }),
    examples: { own: exampleSession },
  },
  setPresence: {
    ...changingAccount,
    summary: 'Show the account as available or not; while it is available, its phone gets no notifications',
    method: 'PUT',
    path: '/sessions/:id/presence',
    body: v.strictObject({ presence }),
    answer: v.object({ presence }),
    timeoutMs: 15_000,
    examples: { available: { ...exampleSession, presence: 'available' } },
  },
  getPrivacy: {
    ...reading,
    summary: "Get the account's privacy settings that the page knows",
    path: '/sessions/:id/privacy',
    params: ofSession,
    answer: privacy,
    timeoutMs: 15_000,
    examples: { own: exampleSession },
  },
  updatePrivacy: {
    ...changingAccount,
    summary: 'Change the given privacy settings, one after the other; returns all of them',
    method: 'PUT',
    path: '/sessions/:id/privacy',
    body: privacyChange,
    answer: privacy,
    timeoutMs: 60_000,
    examples: { some: { ...exampleSession, lastSeen: 'contacts', readReceipts: 'none' } },
  },
} as const satisfies Record<string, Operation>;
