import { type accountOperations, cutText, LIMITS, operations, type Privacy, profile } from '@chat-web/protocol';
import * as v from 'valibot';
import type { CallTime } from '../call-time.ts';
import type { HandlerDependencies, WorkerHandlers } from '../client/port.ts';
import { requireValid } from '../client/schemas.ts';
import { withMedia } from '../media/outgoing-media.ts';

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

export function accountHandlers(dependencies: HandlerDependencies): WorkerHandlers<keyof typeof accountOperations> {
  const { page } = dependencies;
  const privacyNow = async (time: CallTime) => toPrivacy(await page.read(time.rest(), 'getPrivacy'));
  return {
    getProfile: async (_, { time }) => toProfile(await page.read(time.rest(), 'getProfile', time.step('part'))),

    setProfileName: async ({ name }, { time }) => {
      await page.change(time.rest(), 'setProfileName', name);
      return { name };
    },

    setProfileAbout: async ({ about }, { time }) => {
      await page.change(time.rest(), 'setProfileAbout', about);
      return { about };
    },

    setProfilePicture: async (input, { time }) => {
      await withMedia('image', input, time.rest('file', 'picture'), dependencies, ({ path }) =>
        page.withFile(time.step('file', 'picture'), path, (key) => page.change(time.rest(), 'setProfilePicture', key)),
      );
      return { changed: true };
    },

    removeProfilePicture: async (_, { time }) => {
      await page.change(time.rest(), 'removeProfilePicture');
      return { removed: true };
    },

    setPresence: async ({ presence }, { time }) => {
      await page.change(time.rest(), 'setPresence', presence);
      return { presence };
    },

    getPrivacy: (_, { time }) => privacyNow(time),

    updatePrivacy: async (input, { time }) => {
      const wanted = SETTINGS.flatMap(([setting, , name]) =>
        input[setting] ? [{ setting, name, value: input[setting] }] : [],
      );
      await page.change(time.rest('query'), 'updatePrivacy', wanted, time.step('changes', 'query'));
      return { ...(await privacyNow(time)), ...toPrivacy(inputByPage(input)) };
    },
  };
}

/** The requested settings are returned even if the page's memory is not up to date. */
function inputByPage(input: Privacy): Record<string, unknown> {
  return Object.fromEntries(SETTINGS.flatMap(([ours, pages]) => (input[ours] ? [[pages, input[ours]]] : [])));
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
  return requireValid(profile, shown, 'profile');
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
