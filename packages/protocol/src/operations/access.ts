import * as v from 'valibot';
import type { Operation } from '../operation.ts';
import { scope } from '../scope.ts';
import { isoTime } from '../times.ts';

/** A caller's own access. */
export const accessOperations = {
  getAccess: {
    summary: 'Get what the token or key of this request allows, and the version of the gateway',
    method: 'GET',
    path: '/access',
    scope: 'read',
    params: v.object({}),
    answer: v.object({
      /** The id of the key; `token`: the gateway's token; `open`: the gateway asks for none. */
      id: v.string(),
      scope,
      /** Sessions by their ids; `*` stands for any characters, or none. */
      sessions: v.array(v.string()),
      /** The name of the key. */
      name: v.optional(v.string()),
      /** When the key expires. */
      expiresAt: v.optional(isoTime),
      version: v.string(),
    }),
    errors: [],
    timeoutMs: 5_000,
  },
} as const satisfies Record<string, Operation>;
