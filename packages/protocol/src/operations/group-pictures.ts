import * as v from 'valibot';
import { networkId } from '../limits.ts';
import { fromOnePlace, mediaFields, optionalMediaFile } from '../media.ts';
import type { Operation } from '../operation.ts';
import { changeErrors, ofGroup } from './groups.ts';

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
    errors: ['session_not_found', 'session_not_ready', 'chat_not_found', 'client_failed', 'session_lost'],
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
    errors: [...changeErrors, 'media_unavailable'],
    timeoutMs: 120_000,
  },
  removeGroupPicture: {
    summary: "Remove a group's picture",
    method: 'DELETE',
    path: '/sessions/:id/groups/:groupId/picture',
    scope: 'send',
    params: ofGroup,
    answer: v.object({ groupId: networkId }),
    errors: changeErrors,
    timeoutMs: 30_000,
  },
} as const satisfies Record<string, Operation>;
