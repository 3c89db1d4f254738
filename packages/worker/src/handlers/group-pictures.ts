import { GatewayError, type Handlers, operations } from '@chat-web/protocol';
import type { HandlerContext } from '../client/port.ts';
import { takeFromPage } from '../media/incoming-media.ts';
import { withMedia } from '../media/outgoing-media.ts';
import { hasGroup, removeGroupPicture, setGroupPicture } from '../page/group-pictures.ts';
import { loadPicture } from '../page/media.ts';
import { allowed, MEMBERS_OF_ONE_TIMEOUT_MS } from './groups.ts';
import { refusedBy } from './sending.ts';
import { TimeBudget } from './time-budget.ts';

const FIND_TIMEOUT_MS = 5_000;
const LOAD_TIMEOUT_MS = 22_000;
const ASK_TIMEOUT_MS = 12_000;
const REMOVE_TIMEOUT_MS = 28_000;
/** How long loading a file into the browser may take. */
const FILE_TIMEOUT_MS = 20_000;
const SET_TIMEOUT_MS = 40_000;

/** Handlers of the operations on the pictures of groups. */
export function groupPictureHandlers(
  context: HandlerContext,
): Handlers<'getGroupPicture' | 'setGroupPicture' | 'removeGroupPicture'> {
  const { page, fetchLimits } = context;
  return {
    getGroupPicture: async ({ groupId }) => {
      if (!(await page.read(FIND_TIMEOUT_MS, hasGroup, groupId))) return allowed('no_group');
      const limits = [LOAD_TIMEOUT_MS, loadPicture, groupId, ASK_TIMEOUT_MS] as const;
      const taken = await takeFromPage(context, 'image/jpeg', ...limits);
      if (taken === 'later') throw refusedBy(429);
      return taken;
    },

    setGroupPicture: async ({ groupId, ...source }) => {
      const budget = new TimeBudget(operations.setGroupPicture.timeoutMs);
      const fetchMs = budget.step(fetchLimits.timeoutMs, FILE_TIMEOUT_MS + SET_TIMEOUT_MS);
      return withMedia('image', source, fetchMs, context, ({ path }) =>
        page.withFile(budget.step(FILE_TIMEOUT_MS, SET_TIMEOUT_MS), path, async (key) => {
          const set = await page.change(budget.lastStep(), setGroupPicture, groupId, key, MEMBERS_OF_ONE_TIMEOUT_MS);
          if (set === 'no_image')
            throw new GatewayError(
              'media_unavailable',
              'the browser cannot read the file as an image; nothing was changed',
            );
          allowed(set);
          return { groupId };
        }),
      );
    },

    removeGroupPicture: async ({ groupId }) => {
      allowed(await page.change(REMOVE_TIMEOUT_MS, removeGroupPicture, groupId, MEMBERS_OF_ONE_TIMEOUT_MS));
      return { groupId };
    },
  };
}
