import {
  type accountOperations,
  cutText,
  GatewayError,
  LIMITS,
  operations,
  type Privacy,
  profile,
} from '@chat-web/protocol';
import * as v from 'valibot';
import type { CallTime } from '../call-time.ts';
import type { HandlerContext, WorkerHandlers } from '../client/port.ts';
import { withMedia } from '../media/outgoing-media.ts';
import type { Refused } from '../page/models.ts';
import { NO_IMAGE, refusedBy, unlessRefused } from './refusals.ts';

/** Names of settings: of the API, of the page's memory, and of the network. */
const SETTINGS = [
  ['lastSeen', 'lastSeen', 'last'],
  ['online', 'online', 'online'],
  ['profilePicture', 'profilePicture', 'profile'],
  ['about', 'about', 'status'],
  ['readReceipts', 'readReceipts', 'readreceipts'],
  ['groups', 'groupAdd', 'groupadd'],
  ['calls', 'callAdd', 'calladd'],
] as const satisfies readonly (readonly [keyof Privacy, string, string])[];

export function accountHandlers(context: HandlerContext): WorkerHandlers<keyof typeof accountOperations> {
  const { page } = context;
  const privacyNow = async (time: CallTime) => toPrivacy(await page.read(time.rest(), 'readPrivacy'));
  return {
    getProfile: async (_, { time }) => toProfile(await page.read(time.rest(), 'readProfile', time.step('part'))),

    setProfileName: async ({ name }, { time }) => {
      unlessRefused(await page.change(time.rest(), 'setName', name), {
        is_business: ['not_permitted', 'the name of a business account can only be changed on its phone'],
      });
      return { name };
    },

    setProfileAbout: async ({ about }, { time }) => {
      unlessRefused(await page.change(time.rest(), 'setAbout', about), {});
      return { about };
    },

    setProfilePicture: async (input, { time }) => {
      await withMedia('image', input, time.rest('file', 'picture'), context, ({ path }) =>
        page.withFile(time.step('file', 'picture'), path, async (key) => {
          unlessRefused(await page.change(time.rest(), 'setProfilePicture', key), { no_image: NO_IMAGE });
        }),
      );
      return { changed: true };
    },

    removeProfilePicture: async (_, { time }) => {
      unlessRefused(await page.change(time.rest(), 'removeProfilePicture'), {});
      return { removed: true };
    },

    setPresence: async ({ presence }, { time }) => {
      if (await page.change(time.rest(), 'setPresence', presence)) return { presence };
      throw new GatewayError('not_permitted', 'an account without a name has no presence: set its name first');
    },

    getPrivacy: (_, { time }) => privacyNow(time),

    updatePrivacy: async (input, { time }) => {
      const wanted = SETTINGS.flatMap(([ours, , name]) => (input[ours] ? [{ name, value: input[ours] }] : []));
      const { changed, no } = await page.change(
        time.rest('query'),
        'setPrivacy',
        wanted,
        time.step('changes', 'query'),
      );
      if (no)
        throw notAllChanged(
          SETTINGS.filter(([, , name]) => changed.includes(name)).map(([ours]) => ours),
          no,
        );
      return { ...(await privacyNow(time)), ...toPrivacy(inputByPage(input)) };
    },
  };
}

/** The requested settings are returned even if the page's memory is not up to date. */
function inputByPage(input: Privacy): Record<string, unknown> {
  return Object.fromEntries(SETTINGS.flatMap(([ours, pages]) => (input[ours] ? [[pages, input[ours]]] : [])));
}

const ENDS = {
  late: 'the time limit was reached',
  unknown: 'the web client failed, and may have changed the next setting',
} as const;

/** The error for a change of several settings that stopped early; it names the changed ones. */
function notAllChanged(changed: readonly string[], no: Refused | keyof typeof ENDS): GatewayError {
  const error = typeof no === 'string' ? new GatewayError('outcome_unknown', ENDS[no]) : refusedBy(no.refused);
  if (changed.length === 0) return error;
  const { code, message, retryAfterSeconds } = error;
  const before = `before that, ${changed.join(', ')} ${changed.length > 1 ? 'were' : 'was'} changed`;
  return new GatewayError(
    code === 'client_failed' ? 'outcome_unknown' : code,
    `${message.replace('; nothing was changed', '')}; ${before}`,
    { retryAfterSeconds },
  );
}

function toProfile(read: Record<string, unknown>) {
  const { id, lid, name, about, isBusiness } = read;
  const text = (written: unknown) => cutText(typeof written === 'string' ? written : '', LIMITS.name);
  const shown = {
    // Without the device that an id may contain.
    id: String(id).replace(/:\d+@/, '@'),
    ...(typeof lid === 'string' ? { lid: lid.replace(/:\d+@/, '@') } : {}),
    name: text(name),
    ...(typeof about === 'string' ? { about: text(about) } : {}),
    isBusiness: isBusiness === true,
  };
  if (v.is(profile, shown)) return shown;
  throw new GatewayError('client_failed', 'the web client returned an invalid profile');
}

/** Settings of the API, from the page's; settings with unknown values are left out. */
function toPrivacy(read: Record<string, unknown>): Privacy {
  const known = operations.getPrivacy.answer.entries;
  return Object.fromEntries(
    SETTINGS.flatMap(([ours, pages]) => {
      const parsed = v.safeParse(known[ours], read[pages]);
      return parsed.success && parsed.output !== undefined ? [[ours, parsed.output]] : [];
    }),
  );
}
