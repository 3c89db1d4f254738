import {
  cutText,
  GatewayError,
  type GroupDetails,
  groupDetails,
  type groupDetailsOperations,
  type groupPictureOperations,
  LIMITS,
} from '@chat-web/protocol';
import * as v from 'valibot';
import type { CallTime } from '../call-time.ts';
import type { HandlerDependencies, WorkerHandlers } from '../client/port.ts';
import { knownUsername, toIsoTime } from '../client/resources.ts';
import { requireValid } from '../client/schemas.ts';
import { takeFromPage } from '../media/incoming-media.ts';
import { withMedia } from '../media/outgoing-media.ts';
import { results } from './groups.ts';
import { foundIn, pageOf } from './list-pages.ts';

export function groupDetailsHandlers({
  page,
}: HandlerDependencies): WorkerHandlers<keyof typeof groupDetailsOperations> {
  const changeRole = async (groupId: string, people: string[], change: 'promote' | 'demote', time: CallTime) => {
    const asked = page.change(time.rest(), 'changeRoles', groupId, people, change, time.step('members'));
    return { groupId, participants: results(people, { codes: await asked }) };
  };

  const readGroup = async (groupId: string, time: CallTime) =>
    toGroupDetails(await page.read(time.rest(), 'getGroup', groupId, time.step('members')));

  return {
    getGroup: ({ groupId }, { time }) => readGroup(groupId, time),

    listParticipants: async ({ groupId, ...input }, { time }) => {
      const { participants } = await readGroup(groupId, time);
      if (participants) return pageOf(foundIn(participants, input), input);
      throw new GatewayError('client_failed', 'the participants could not be loaded in time; retry later');
    },

    promoteParticipants: ({ groupId, participants }, { time }) => changeRole(groupId, participants, 'promote', time),

    demoteParticipants: ({ groupId, participants }, { time }) => changeRole(groupId, participants, 'demote', time),

    setGroupDescription: async ({ groupId, description }, { time }) => {
      await page.change(time.rest(), 'setGroupDescription', groupId, description, time.step('members'));
      return { groupId, description };
    },

    updateGroupSettings: async ({ groupId, sendMessages, editInfo, addParticipants, approveJoins }, { time }) => {
      const wanted = { sendMessages, editInfo, addParticipants, approveJoins };
      const limits = [time.step('members'), time.step('settle')] as const;
      return { groupId, settings: await page.change(time.rest(), 'updateGroupSettings', groupId, wanted, ...limits) };
    },
  };
}

/** Unix seconds of the page as a time of the API; undefined for anything else. */
export function isoOf(seconds: unknown): string | undefined {
  return typeof seconds === 'number' && seconds > 0 ? toIsoTime(seconds) : undefined;
}

/** A group of the API, from the page's model; invalid parts are left out. */
function toGroupDetails(model: Record<string, unknown>): GroupDetails {
  const { entries } = groupDetails;
  const { description, createdAt, subject, participants, ...rest } = model;
  const created = isoOf(createdAt);
  const people = Array.isArray(participants) ? participants : undefined;
  const read: Record<string, unknown> = {
    ...rest,
    subject: cutText(String(subject ?? ''), LIMITS.name),
    ...(description ? { description: cutText(String(description), LIMITS.body) } : {}),
    ...(created ? { createdAt: created } : {}),
    participants: people?.map((one) => ({
      ...one,
      lid: one.lid ?? undefined,
      username: v.parse(knownUsername, one.username),
    })),
  };
  const valid = Object.entries(entries).flatMap(([name, schema]) => {
    const parsed = v.safeParse(schema as v.GenericSchema, read[name] ?? undefined);
    return parsed.success && parsed.output !== undefined ? [[name, parsed.output] as const] : [];
  });
  return requireValid(groupDetails, Object.fromEntries(valid), 'group');
}

export function groupPictureHandlers(
  dependencies: HandlerDependencies,
): WorkerHandlers<keyof typeof groupPictureOperations> {
  const { page } = dependencies;
  return {
    getGroupPicture: async ({ groupId }, { time }) => {
      await page.read(time.step('query'), 'requireKnownGroup', groupId);
      const limits = [time.rest(), 'loadPicture', groupId, time.step('inPage')] as const;
      return takeFromPage(dependencies, 'image/jpeg', ...limits);
    },

    setGroupPicture: async ({ groupId, ...source }, { time }) => {
      return withMedia('image', source, time.rest('file', 'picture'), dependencies, ({ path }) =>
        page.withFile(time.step('file', 'picture'), path, async (key) => {
          await page.change(time.rest(), 'setGroupPicture', groupId, key, time.step('members'));
          return { groupId };
        }),
      );
    },

    removeGroupPicture: async ({ groupId }, { time }) => {
      await page.change(time.rest(), 'removeGroupPicture', groupId, time.step('members'));
      return { groupId };
    },
  };
}
