import { type contactDetailOperations, cutText, GatewayError, type Handlers, LIMITS } from '@chat-web/protocol';
import { toBusinessProfile } from '../client/business-profile.ts';
import { toContacts, toGroups } from '../client/lists.ts';
import type { HandlerContext } from '../client/port.ts';
import {
  getAbout,
  getBusinessProfile,
  listBlocked,
  listCommonGroups,
  numbersExist,
  resolvePeople,
  setBlocked,
} from '../page/contact-details.ts';
import { contactNotFound } from './not-found.ts';
import { refusedBy } from './sending.ts';

const LIST_TIMEOUT_MS = 25_000;
const QUERY_TIMEOUT_MS = 20_000;
const CHANGE_TIMEOUT_MS = 25_000;
/** How long the page may take to show a change after it was applied. */
const SETTLE_TIMEOUT_MS = 3_000;
/** Between two requests for many numbers: the network restricts accounts for many look-ups in a row. */
const LOOK_UPS_PAUSE_MS = 10_000;
/** The network does not say how long to wait. */
const ABOUT_PAUSE_SECONDS = 60;

/** Handlers of the operations on details of people. */
export function contactDetailHandlers({ page }: HandlerContext): Handlers<keyof typeof contactDetailOperations> {
  let nextLookUpsAt = 0;
  /**
   * Keeps a pause between look-ups. `ask` receives how many milliseconds of the pause remain; `isQueried` tells from
   * its answer whether the network was queried.
   */
  const paced = async <T>(ask: (pauseMs: number) => Promise<T>, isQueried: (answer: T) => boolean): Promise<T> => {
    const [before, now] = [nextLookUpsAt, performance.now()];
    const reserved = Math.max(before, now + LOOK_UPS_PAUSE_MS);
    nextLookUpsAt = reserved;
    const release = () => {
      if (nextLookUpsAt === reserved) nextLookUpsAt = before;
    };
    try {
      const answer = await ask(before - now);
      if (!isQueried(answer)) release();
      return answer;
    } catch (error) {
      // Nothing was queried.
      if (error instanceof GatewayError && error.code !== 'outcome_unknown') release();
      throw error;
    }
  };
  const change = async (contactId: string, isBlocked: boolean): Promise<string> => {
    const changed = await page.change(CHANGE_TIMEOUT_MS, setBlocked, contactId, isBlocked, SETTLE_TIMEOUT_MS);
    if (changed === 'self') throw new GatewayError('not_permitted', 'an account cannot block itself');
    if (changed === 'no_contact') throw contactNotFound();
    if ('refused' in changed) throw refusedBy(changed.refused);
    return changed.id;
  };
  return {
    numbersExist: async ({ numbers }) => {
      const found = await paced(
        async (pauseMs) => (pauseMs > 0 ? { waitMs: pauseMs } : page.change(QUERY_TIMEOUT_MS, numbersExist, numbers)),
        (answer) => answer === 'unanswered' || !('waitMs' in answer),
      );
      if (found === 'unanswered')
        throw new GatewayError('client_failed', 'the network returned no result for any of the numbers; retry later');
      if ('waitMs' in found) throw tooSoon(found.waitMs);
      if ('refused' in found) throw refusedBy(found.refused);
      const digits = (id: string) => id.slice(0, id.indexOf('@'));
      return { numbers: numbers.map((id, index) => ({ number: digits(id), exists: found.exist[index] ?? null })) };
    },

    resolveContacts: async ({ ids }) => {
      const resolved = await paced(
        (pauseMs) => page.change(QUERY_TIMEOUT_MS, resolvePeople, ids, pauseMs),
        (answer) => 'refused' in answer || ('found' in answer && answer.isQueried),
      );
      if ('waitMs' in resolved) throw tooSoon(resolved.waitMs);
      if ('refused' in resolved) throw refusedBy(resolved.refused);
      return { contacts: [...resolved.found] };
    },

    blockContact: async ({ contactId }) => ({ contactId: await change(contactId, true), blocked: true }),
    unblockContact: async ({ contactId }) => ({ contactId: await change(contactId, false), blocked: false }),

    listBlocked: async () => toContacts(await page.read(LIST_TIMEOUT_MS, listBlocked)),

    getAbout: async ({ contactId }) => {
      const found = await page.read(QUERY_TIMEOUT_MS, getAbout, contactId);
      if (found === 'later')
        throw new GatewayError('rate_limited', 'the network did not return the about text: retry later', {
          retryAfterSeconds: ABOUT_PAUSE_SECONDS,
        });
      if ('refused' in found) throw refusedBy(found.refused);
      return { contactId, about: found.about && cutText(found.about, LIMITS.name) };
    },

    listCommonGroups: async ({ contactId }) => toGroups(await page.read(LIST_TIMEOUT_MS, listCommonGroups, contactId)),

    getBusinessProfile: async ({ contactId }) => {
      const profile = await page.read(QUERY_TIMEOUT_MS, getBusinessProfile, contactId);
      if ('refused' in profile) throw refusedBy(Number(profile.refused));
      return toBusinessProfile(contactId, profile);
    },
  };
}

function tooSoon(waitMs: number): GatewayError {
  const why =
    waitMs > LOOK_UPS_PAUSE_MS
      ? 'the account was linked less than ten minutes ago, and look-ups may unlink it again'
      : 'numbers were looked up a moment ago';
  const retryAfterSeconds = Math.ceil(waitMs / 1_000);
  return new GatewayError('rate_limited', `${why}: nothing was queried, retry later`, { retryAfterSeconds });
}
