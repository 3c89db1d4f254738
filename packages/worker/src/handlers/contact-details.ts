import { type contactDetailOperations, cutText, GatewayError, LIMITS } from '@chat-web/protocol';
import * as v from 'valibot';
import type { CallTime } from '../call-time.ts';
import { toBusinessProfile } from '../client/business-profile.ts';
import { toContacts, toGroups } from '../client/lists.ts';
import type { HandlerDependencies, WorkerHandlers } from '../client/port.ts';
import { requireValid } from '../client/schemas.ts';

/** Between two requests for many numbers: the network restricts accounts for many look-ups in a row. */
const LOOK_UPS_PAUSE_MS = 10_000;

const person = v.pipe(v.string(), v.regex(/^\d{1,20}@(c\.us|lid)$/));

export function contactDetailHandlers({
  page,
}: HandlerDependencies): WorkerHandlers<keyof typeof contactDetailOperations> {
  let nextLookUpsAt = 0;
  /**
   * Keeps a pause between look-ups. `ask` receives how many milliseconds of the pause remain, and may answer that they
   * have to pass first, which throws 429; `isQueried` returns whether the network was queried for another answer.
   */
  const paced = async <T extends object>(
    ask: (pauseMs: number) => Promise<T | Wait>,
    isQueried: (answer: T) => boolean = () => true,
  ): Promise<T> => {
    const [before, now] = [nextLookUpsAt, performance.now()];
    const reserved = Math.max(before, now + LOOK_UPS_PAUSE_MS);
    nextLookUpsAt = reserved;
    const release = () => {
      if (nextLookUpsAt === reserved) nextLookUpsAt = before;
    };
    const answer = await ask(before - now).catch((error: unknown) => {
      const isUnasked = error instanceof GatewayError && error.code === 'session_not_ready';
      if (isUnasked) release(); // After any other error, the network may have been queried.
      throw error;
    });
    if (isWait(answer) || !isQueried(answer)) release();
    if (isWait(answer)) throw tooSoon(answer.waitMs);
    return answer;
  };
  const change = async (contactId: string, isBlocked: boolean, time: CallTime): Promise<string> =>
    (await page.change(time.rest(), 'setBlocked', contactId, isBlocked, time.step('settle'))).id;
  return {
    numbersExist: async ({ numbers }, { time }) => {
      const limitMs = time.rest();
      const { exist } = await paced((pauseMs) =>
        pauseMs > 0 ? Promise.resolve({ waitMs: pauseMs }) : page.change(limitMs, 'numbersExist', numbers),
      );
      return { numbers: [...exist] };
    },

    resolveContacts: async ({ ids }, { time }) => {
      const limitMs = time.rest();
      const { found } = await paced(
        (pauseMs) => page.change(limitMs, 'resolveContacts', ids, pauseMs),
        ({ isQueried }) => isQueried,
      );
      return { contacts: [...found] };
    },

    findUsername: async ({ name, pin }, { time }) => {
      const limitMs = time.rest();
      const { id } = await paced((pauseMs) => page.read(limitMs, 'findUsername', name, pin, pauseMs));
      if (id === undefined) return { username: name, needsPin: true };
      return { username: name, id: requireValid(person, id, 'id') };
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
      const { about } = await page.read(time.rest(), 'getAbout', contactId);
      return { contactId, about: about && cutText(about, LIMITS.name) };
    },

    listCommonGroups: async ({ contactId }, { time }) =>
      toGroups(await page.read(time.rest(), 'listCommonGroups', contactId)),

    getBusinessProfile: async ({ contactId }, { time }) =>
      toBusinessProfile(contactId, await page.read(time.rest(), 'getBusinessProfile', contactId)),
  };
}

/** Nothing was queried yet: it is too early. */
interface Wait {
  readonly waitMs: number;
}

function isWait(answer: object): answer is Wait {
  return 'waitMs' in answer;
}

function tooSoon(waitMs: number): GatewayError {
  const why =
    waitMs > LOOK_UPS_PAUSE_MS
      ? 'the account was linked less than ten minutes ago, and look-ups may unlink it again'
      : 'numbers were looked up recently';
  const retryAfterSeconds = Math.ceil(waitMs / 1_000);
  return new GatewayError('rate_limited', `${why}: nothing was queried, retry later`, { retryAfterSeconds });
}
