import { type contactDetailOperations, cutText, GatewayError, LIMITS } from '@chat-web/protocol';
import type { CallTime } from '../call-time.ts';
import { toBusinessProfile } from '../client/business-profile.ts';
import { toContacts, toGroups } from '../client/lists.ts';
import type { HandlerContext, WorkerHandlers } from '../client/port.ts';
import { type CodeAndText, NO_CONTACT, unlessRefused } from './refusals.ts';

/** Between two requests for many numbers: the network restricts accounts for many look-ups in a row. */
const LOOK_UPS_PAUSE_MS = 10_000;
/** The network does not say how long to wait. */
const ABOUT_PAUSE_SECONDS = 60;

export function contactDetailHandlers({ page }: HandlerContext): WorkerHandlers<keyof typeof contactDetailOperations> {
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
  const change = async (contactId: string, isBlocked: boolean, time: CallTime): Promise<string> => {
    const outcome = await page.change(time.rest(), 'setBlocked', contactId, isBlocked, time.step('settle'));
    const self: CodeAndText = ['not_permitted', 'an account cannot block itself'];
    return unlessRefused(outcome, { self, no_contact: NO_CONTACT }).id;
  };
  return {
    numbersExist: async ({ numbers }, { time }) => {
      const answer = await paced(
        async (pauseMs) => (pauseMs > 0 ? { waitMs: pauseMs } : page.change(time.rest(), 'numbersExist', numbers)),
        (answer) => answer === 'unanswered' || !('waitMs' in answer),
      );
      const found = unlessRefused(answer, {
        unanswered: ['client_failed', 'the network returned no result for any of the numbers; retry later'],
      });
      if ('waitMs' in found) throw tooSoon(found.waitMs);
      const digits = (id: string) => id.slice(0, id.indexOf('@'));
      return { numbers: numbers.map((id, index) => ({ number: digits(id), exists: found.exist[index] ?? null })) };
    },

    resolveContacts: async ({ ids }, { time }) => {
      const answer = await paced(
        (pauseMs) => page.change(time.rest(), 'resolveContacts', ids, pauseMs),
        (answer) => 'refused' in answer || ('found' in answer && answer.isQueried),
      );
      const resolved = unlessRefused(answer, {});
      if ('waitMs' in resolved) throw tooSoon(resolved.waitMs);
      return { contacts: [...resolved.found] };
    },

    blockContact: async ({ contactId }, { time }) => ({
      contactId: await change(contactId, true, time),
      blocked: true,
    }),
    unblockContact: async ({ contactId }, { time }) => ({
      contactId: await change(contactId, false, time),
      blocked: false,
    }),

    listBlocked: async (_, { time }) => toContacts(await page.read(time.rest(), 'listBlocked')),

    getAbout: async ({ contactId }, { time }) => {
      const found = await page.read(time.rest(), 'getAbout', contactId);
      if (found === 'later')
        throw new GatewayError('rate_limited', 'the network did not return the about text: retry later', {
          retryAfterSeconds: ABOUT_PAUSE_SECONDS,
        });
      const { about } = unlessRefused(found, {});
      return { contactId, about: about && cutText(about, LIMITS.name) };
    },

    listCommonGroups: async ({ contactId }, { time }) =>
      toGroups(await page.read(time.rest(), 'listCommonGroups', contactId)),

    getBusinessProfile: async ({ contactId }, { time }) => {
      const profile = await page.read(time.rest(), 'getBusinessProfile', contactId);
      return toBusinessProfile(contactId, unlessRefused(profile, {}));
    },
  };
}

function tooSoon(waitMs: number): GatewayError {
  const why =
    waitMs > LOOK_UPS_PAUSE_MS
      ? 'the account was linked less than ten minutes ago, and look-ups may unlink it again'
      : 'numbers were looked up recently';
  const retryAfterSeconds = Math.ceil(waitMs / 1_000);
  return new GatewayError('rate_limited', `${why}: nothing was queried, retry later`, { retryAfterSeconds });
}
