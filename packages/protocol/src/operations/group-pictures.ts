import * as v from 'valibot';
import { networkId } from '../limits.ts';
import { fromOnePlace, mediaFields, optionalMediaFile } from '../media.ts';
import type { Operation } from '../operation.ts';
import { CHAT_CHANGE_ERRORS, ofGroup, READ_ERRORS } from './common.ts';

const { url, base64, mimeType } = mediaFields;

/** Operations on the pictures of groups: the session's worker answers them. */
export const groupPictureOperations = {
  getGroupPicture: {
    summary: "Get a group's picture as JPEG; 204 if there is none",
    method: 'GET',
    path: '/sessions/:id/groups/:groupId/picture',
    scope: 'read',
    params: ofGroup,
    answer: optionalMediaFile,
    errors: [...READ_ERRORS, 'chat_not_found'],
    timeoutMs: 30_000,
  },
  setGroupPicture: {
    summary: "Change a group's picture: an image, cut to a square",
    method: 'PUT',
    path: '/sessions/:id/groups/:groupId/picture',
    scope: 'send',
    params: ofGroup,
    body: v.pipe(v.object({ url, base64, mimeType }), fromOnePlace()),
    answer: v.object({ groupId: networkId }),
    errors: [...CHAT_CHANGE_ERRORS, 'media_unavailable'],
    timeoutMs: 120_000,
  },
  removeGroupPicture: {
    summary: "Remove a group's picture",
    method: 'DELETE',
    path: '/sessions/:id/groups/:groupId/picture',
    scope: 'send',
    params: ofGroup,
    answer: v.object({ groupId: networkId }),
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 30_000,
  },
} as const satisfies Record<string, Operation>;
