import * as v from 'valibot';
import { EXAMPLE_PNG, exampleGroup, exampleIds } from '../examples.ts';
import {
  groupDetails,
  groupParticipant,
  groupSettings,
  groupSettingsChange,
  MAX_DESCRIPTION,
} from '../group-resources.ts';
import { networkId, writtenText } from '../limits.ts';
import { fromOnePlace, mediaFields, optionalMediaFile } from '../media.ts';
import type { Operation } from '../operation.ts';
import { CHAT_CHANGE_ERRORS, listing, ofGroup, READ_ERRORS, reading } from './common.ts';
import { changingGroup, membersChange } from './groups.ts';

const description = v.pipe(v.string(), v.maxLength(MAX_DESCRIPTION, `must be at most ${MAX_DESCRIPTION} characters`));

export const groupDetailsOperations = {
  getGroup: {
    ...reading,
    summary: 'Get a group with its settings and its participants',
    path: '/sessions/:id/groups/:groupId',
    params: ofGroup,
    answer: groupDetails,
    errors: [...READ_ERRORS, 'chat_not_found'],
    tools: { get_group: {} },
    examples: { one: exampleGroup },
  },
  listParticipants: {
    ...reading,
    summary: 'List the participants of a group',
    path: '/sessions/:id/groups/:groupId/participants',
    params: ofGroup,
    ...listing(groupParticipant),
    errors: [...READ_ERRORS, 'chat_not_found'],
    examples: { all: exampleGroup, page: { ...exampleGroup, limit: 1 } },
  },
  promoteParticipants: {
    ...membersChange,
    summary: 'Make participants of a group admins; one result for each, in order',
    path: '/sessions/:id/groups/:groupId/participants/promote',
    examples: { one: { ...exampleGroup, participants: [exampleIds.person] } },
  },
  demoteParticipants: {
    ...membersChange,
    summary: 'Demote admins of a group to plain members; one result for each, in order',
    path: '/sessions/:id/groups/:groupId/participants/demote',
    examples: { one: { ...exampleGroup, participants: [exampleIds.person] } },
  },
  setGroupDescription: {
    ...changingGroup,
    summary: 'Change the description of a group; an empty one removes it',
    method: 'PUT',
    path: '/sessions/:id/groups/:groupId/description',
    body: v.strictObject({ description }),
    answer: v.object({ groupId: networkId, description: writtenText(MAX_DESCRIPTION) }),
    examples: { new: { ...exampleGroup, description: 'Where to meet, and when' } },
  },
  updateGroupSettings: {
    ...changingGroup,
    summary: 'Change settings of a group; returns all of them',
    method: 'PUT',
    path: '/sessions/:id/groups/:groupId/settings',
    body: groupSettingsChange,
    answer: v.object({ groupId: networkId, settings: groupSettings }),
    timeoutMs: 60_000,
    examples: { some: { ...exampleGroup, sendMessages: 'admins', approveJoins: true } },
  },
} as const satisfies Record<string, Operation>;

const { url, base64, mimeType } = mediaFields;

export const groupPictureOperations = {
  getGroupPicture: {
    ...reading,
    summary: "Get a group's picture as JPEG; 204 if there is none",
    path: '/sessions/:id/groups/:groupId/picture',
    params: ofGroup,
    answer: optionalMediaFile,
    errors: [...READ_ERRORS, 'chat_not_found', 'media_unavailable'],
    examples: { known: exampleGroup },
  },
  setGroupPicture: {
    ...changingGroup,
    summary: "Change a group's picture: an image, cut to a square",
    method: 'PUT',
    path: '/sessions/:id/groups/:groupId/picture',
    body: v.pipe(v.strictObject({ url, base64, mimeType }), fromOnePlace()),
    answer: v.object({ groupId: networkId }),
    errors: [...CHAT_CHANGE_ERRORS, 'media_unavailable'],
    timeoutMs: 120_000,
    examples: { new: { ...exampleGroup, base64: EXAMPLE_PNG, mimeType: 'image/png' } },
  },
  removeGroupPicture: {
    ...changingGroup,
    summary: "Remove a group's picture",
    method: 'DELETE',
    path: '/sessions/:id/groups/:groupId/picture',
    answer: v.object({ groupId: networkId }),
    examples: { known: exampleGroup },
  },
} as const satisfies Record<string, Operation>;
