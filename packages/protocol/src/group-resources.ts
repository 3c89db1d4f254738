import * as v from 'valibot';
import { count, LIMITS, listOf, networkId, writtenText } from './limits.ts';
import { community, username } from './resources.ts';
import { isoTime } from './times.ts';

/** More than the largest group has. */
const MAX_MEMBERS = 5_000;
/** The longest description that phones can write. */
export const MAX_DESCRIPTION = 2_048;

const whoMay = v.picklist(['everyone', 'admins'], 'must be everyone or admins');

/** Settings of a group: who may do what, and whether an admin must approve people who join by the invite. */
const settingsFields = {
  sendMessages: v.optional(whoMay),
  editInfo: v.optional(whoMay),
  addParticipants: v.optional(whoMay),
  approveJoins: v.optional(v.boolean('must be true or false')),
};

/** Settings of a group. Unknown ones are absent. */
export const groupSettings = v.object(settingsFields);
export type GroupSettings = v.InferOutput<typeof groupSettings>;

export const groupSettingsChange = v.pipe(
  v.strictObject(settingsFields),
  v.check(
    (written) => Object.values(written).some((value) => value !== undefined),
    'must have at least one of sendMessages, editInfo, addParticipants and approveJoins',
  ),
);

/** A member of a group. `id` is by number where the number is known, `lid` the hidden id. */
export const groupParticipant = v.object({
  id: networkId,
  lid: v.optional(networkId),
  username: v.optional(username),
  role: v.picklist(['member', 'admin', 'superadmin']),
});

/** A group and its details. `superadmin` is the role of its creator. */
export const groupDetails = v.object({
  id: networkId,
  subject: writtenText(LIMITS.name),
  description: v.optional(writtenText(LIMITS.body)),
  createdAt: v.optional(isoTime),
  owner: v.optional(networkId),
  settings: groupSettings,
  community: v.optional(community),
  /** These three are absent if the members could not be loaded in time. Absent does not mean none. */
  participantCount: v.optional(count(LIMITS.time)),
  isAdmin: v.optional(v.boolean()),
  participants: v.optional(listOf(groupParticipant, MAX_MEMBERS)),
});
export type GroupDetails = v.InferOutput<typeof groupDetails>;

/** The last part of the link that lets people join a group. */
export const inviteCode = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_-]{8,64}$/, 'must be an invite code: the part after https://chat.whatsapp.com/'),
);

export const groupInvite = v.object({
  groupId: networkId,
  code: inviteCode,
  url: v.pipe(v.string(), v.regex(/^https:\/\/chat\.whatsapp\.com\/[A-Za-z0-9_-]{8,64}$/)),
});
export type GroupInvite = v.InferOutput<typeof groupInvite>;

export const invitation = v.object({
  groupId: networkId,
  subject: writtenText(LIMITS.name),
  description: v.optional(writtenText(LIMITS.body)),
  createdAt: v.optional(isoTime),
  owner: v.optional(networkId),
  participantCount: v.optional(count(LIMITS.time)),
  /** An admin must approve people who join. */
  approveJoins: v.boolean(),
});
export type Invitation = v.InferOutput<typeof invitation>;

/** More than the network allows to wait. */
export const MAX_JOIN_REQUESTS = 5_000;

export const joinRequest = v.object({
  id: networkId,
  lid: v.optional(networkId),
  requestedAt: v.optional(isoTime),
  /** By the invite, as a member of the community, or added by a member who is not an admin. */
  by: v.optional(v.picklist(['invite', 'community', 'member'])),
});
export type JoinRequest = v.InferOutput<typeof joinRequest>;
