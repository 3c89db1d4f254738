import { cutText, GatewayError, type Handlers, LIMITS, operations, type Privacy, profile } from '@chat-web/protocol';
import * as v from 'valibot';
import type { HandlerContext } from '../client/port.ts';
import { withMedia } from '../media/outgoing-media.ts';
import {
  readPrivacy,
  readProfile,
  removePicture,
  setAbout,
  setName,
  setPicture,
  setPresence,
  setPrivacy,
} from '../page/account.ts';
import type { Refused } from '../page/window.ts';
import { refusedBy } from './sending.ts';
import { TimeBudget } from './time-budget.ts';

const READ_TIMEOUT_MS = 12_000;
/** For the about text, the only part that is queried: without an answer, the rest is still returned. */
const ABOUT_TIMEOUT_MS = 8_000;
const CHANGE_TIMEOUT_MS = 25_000;
const PRESENCE_TIMEOUT_MS = 10_000;
const PRIVACY_TIMEOUT_MS = 55_000;
/** No setting is changed after this time, so that the answer can name the changed ones. */
const LAST_SETTING_MS = 40_000;
const FILE_TIMEOUT_MS = 20_000;

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

type Names =
  | ('getProfile' | 'setProfileName' | 'setProfileAbout' | 'setProfilePicture' | 'removeProfilePicture')
  | ('setPresence' | 'getPrivacy' | 'updatePrivacy');

/** Handlers of the operations on the account itself. */
export function accountHandlers(context: HandlerContext): Handlers<Names> {
  const { page } = context;
  const privacyNow = async () => toPrivacy(await page.read(READ_TIMEOUT_MS, readPrivacy));
  return {
    getProfile: async () => toProfile(await page.read(READ_TIMEOUT_MS, readProfile, ABOUT_TIMEOUT_MS)),

    setProfileName: async ({ name }) => {
      const outcome = await page.change(CHANGE_TIMEOUT_MS, setName, name);
      if (outcome === 'is_business')
        throw new GatewayError('not_permitted', 'the name of a business account can only be changed on its phone');
      accepted(outcome);
      return { name };
    },

    setProfileAbout: async ({ about }) => {
      accepted(await page.change(CHANGE_TIMEOUT_MS, setAbout, about));
      return { about };
    },

    setProfilePicture: async (input) => {
      const budget = new TimeBudget(operations.setProfilePicture.timeoutMs);
      const fetchMs = budget.step(context.fetchLimits.timeoutMs, FILE_TIMEOUT_MS + CHANGE_TIMEOUT_MS);
      await withMedia('image', input, fetchMs, context, ({ path }) =>
        page.withFile(budget.step(FILE_TIMEOUT_MS, CHANGE_TIMEOUT_MS), path, async (key) => {
          const outcome = await page.change(budget.step(CHANGE_TIMEOUT_MS), setPicture, key);
          if (outcome === 'no_image')
            throw new GatewayError('client_failed', 'the browser cannot read the image; nothing was changed');
          accepted(outcome);
        }),
      );
      return { changed: true };
    },

    removeProfilePicture: async () => {
      accepted(await page.change(CHANGE_TIMEOUT_MS, removePicture));
      return { removed: true };
    },

    setPresence: async ({ presence }) => {
      if (await page.change(PRESENCE_TIMEOUT_MS, setPresence, presence)) return { presence };
      throw new GatewayError('not_permitted', 'an account without a name has no presence: set its name first');
    },

    getPrivacy: privacyNow,

    updatePrivacy: async (input) => {
      const wanted = SETTINGS.flatMap(([ours, , name]) => (input[ours] ? [{ name, value: input[ours] }] : []));
      const { changed, no } = await page.change(PRIVACY_TIMEOUT_MS, setPrivacy, wanted, LAST_SETTING_MS);
      if (no)
        throw notAllChanged(
          SETTINGS.filter(([, , name]) => changed.includes(name)).map(([ours]) => ours),
          no,
        );
      return { ...(await privacyNow()), ...toPrivacy({ ...inputByPage(input) }) };
    },
  };
}

/** The requested settings are returned even if the page's memory is not up to date. */
function inputByPage(input: Privacy): Record<string, unknown> {
  return Object.fromEntries(SETTINGS.flatMap(([ours, pages]) => (input[ours] ? [[pages, input[ours]]] : [])));
}

function accepted(outcome: 'ok' | Refused): void {
  if (outcome !== 'ok') throw refusedBy(outcome.refused);
}

/** Why a change of several settings stopped. */
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
