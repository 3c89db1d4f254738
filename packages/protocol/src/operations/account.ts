import * as v from 'valibot';
import { LIMITS, writtenText } from '../limits.ts';
import { fromOnePlace, mediaFields } from '../media.ts';
import type { Operation } from '../operation.ts';
import { presence, privacy, profile } from '../resources.ts';
import { CHANGE_ERRORS, ofSession, READ_ERRORS } from './common.ts';

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

/** Operations on the account itself: the session's worker answers them. */
export const accountOperations = {
  getProfile: {
    summary: "Get the account's own ids, name and about text, and whether it is a business account",
    method: 'GET',
    path: '/sessions/:id/profile',
    scope: 'read',
    params: ofSession,
    answer: profile,
    errors: READ_ERRORS,
    timeoutMs: 15_000,
  },
  setProfileName: {
    summary: 'Change the name that others see; not for business accounts',
    method: 'PUT',
    path: '/sessions/:id/profile/name',
    scope: 'send',
    params: ofSession,
    body: v.object({ name }),
    answer: v.object({ name: writtenText(LIMITS.name) }),
    errors: [...CHANGE_ERRORS, 'not_permitted'],
    timeoutMs: 30_000,
  },
  setProfileAbout: {
    summary: 'Change the about text; an empty one removes it',
    method: 'PUT',
    path: '/sessions/:id/profile/about',
    scope: 'send',
    params: ofSession,
    body: v.object({ about }),
    answer: v.object({ about: writtenText(LIMITS.name) }),
    errors: [...CHANGE_ERRORS, 'not_permitted'],
    timeoutMs: 30_000,
  },
  setProfilePicture: {
    summary: 'Change the profile picture: an image, cut to a square',
    method: 'PUT',
    path: '/sessions/:id/profile/picture',
    scope: 'send',
    params: ofSession,
    body: v.pipe(v.object({ url, base64, mimeType }), fromOnePlace()),
    answer: v.object({ changed: v.literal(true) }),
    errors: [...CHANGE_ERRORS, 'not_permitted', 'media_unavailable'],
    timeoutMs: 90_000,
  },
  removeProfilePicture: {
    summary: 'Remove the profile picture',
    method: 'DELETE',
    path: '/sessions/:id/profile/picture',
    scope: 'send',
    params: ofSession,
    answer: v.object({ removed: v.literal(true) }),
    errors: [...CHANGE_ERRORS, 'not_permitted'],
    timeoutMs: 30_000,
  },
  setPresence: {
    summary: 'Show the account as available or not; while it is available, its phone gets no notifications',
    method: 'PUT',
    path: '/sessions/:id/presence',
    scope: 'send',
    params: ofSession,
    body: v.object({ presence }),
    answer: v.object({ presence }),
    errors: [...CHANGE_ERRORS, 'not_permitted'],
    timeoutMs: 15_000,
  },
  getPrivacy: {
    summary: "Get the account's privacy settings that the page knows",
    method: 'GET',
    path: '/sessions/:id/privacy',
    scope: 'read',
    params: ofSession,
    answer: privacy,
    errors: READ_ERRORS,
    timeoutMs: 15_000,
  },
  updatePrivacy: {
    summary: 'Change the given privacy settings, one after the other; returns all of them',
    method: 'PUT',
    path: '/sessions/:id/privacy',
    scope: 'send',
    params: ofSession,
    body: privacyChange,
    answer: privacy,
    errors: [...CHANGE_ERRORS, 'not_permitted'],
    timeoutMs: 60_000,
  },
} as const satisfies Record<string, Operation>;
