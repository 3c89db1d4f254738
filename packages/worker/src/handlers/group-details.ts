import { cutText, GatewayError, type GroupDetails, groupDetails, type Handlers, LIMITS } from '@chat-web/protocol';
import * as v from 'valibot';
import type { HandlerContext } from '../client/port.ts';
import { toTime } from '../client/resources.ts';
import { changeRoles, changeSettings, readGroup, setDescription } from '../page/group-details.ts';
import { allowed, MEMBERS_OF_ONE_TIMEOUT_MS, results } from './groups.ts';
import { refusedBy } from './sending.ts';

const READ_TIMEOUT_MS = 25_000;
const CHANGE_TIMEOUT_MS = 28_000;
const LONG_CHANGE_TIMEOUT_MS = 55_000;
const SETTLE_TIMEOUT_MS = 5_000;

/** Handlers of the operations on the details, settings and roles of a group. */
export function groupDetailsHandlers({
  page,
}: HandlerContext): Handlers<
  'getGroup' | 'promoteParticipants' | 'demoteParticipants' | 'setGroupDescription' | 'updateGroupSettings'
> {
  const changeRole = async (groupId: string, people: string[], change: 'promote' | 'demote') => {
    const asked = page.change(
      LONG_CHANGE_TIMEOUT_MS,
      ...([changeRoles, groupId, people, change, MEMBERS_OF_ONE_TIMEOUT_MS] as const),
    );
    return { groupId, participants: results(people, allowed(await asked)) };
  };

  return {
    getGroup: async ({ groupId }) =>
      toGroupDetails(allowed(await page.read(READ_TIMEOUT_MS, readGroup, groupId, MEMBERS_OF_ONE_TIMEOUT_MS))),

    promoteParticipants: ({ groupId, participants }) => changeRole(groupId, participants, 'promote'),

    demoteParticipants: ({ groupId, participants }) => changeRole(groupId, participants, 'demote'),

    setGroupDescription: async ({ groupId, description }) => {
      allowed(await page.change(CHANGE_TIMEOUT_MS, setDescription, groupId, description, MEMBERS_OF_ONE_TIMEOUT_MS));
      return { groupId, description };
    },

    updateGroupSettings: async ({ groupId, sendMessages, editInfo, addParticipants, approveJoins }) => {
      const wanted = { sendMessages, editInfo, addParticipants, approveJoins };
      const asked = page.change(
        LONG_CHANGE_TIMEOUT_MS,
        ...([changeSettings, groupId, wanted, MEMBERS_OF_ONE_TIMEOUT_MS, SETTLE_TIMEOUT_MS] as const),
      );
      const { changed, refusal, settings, isShown } = allowed(await asked);
      if (refusal !== undefined) throw refusedAfter(refusal, changed);
      if (isShown) return { groupId, settings };
      throw new GatewayError(
        'outcome_unknown',
        'the network did not refuse the settings, but the group does not have them',
      );
    },
  };
}

/** The error for a refused setting; it names those that were changed before it. */
function refusedAfter(code: number | 'unknown', changed: readonly string[]): GatewayError {
  const before = changed.length > 0 ? `; changed before it: ${changed.join(', ')}` : '';
  if (code === 'unknown')
    return new GatewayError('outcome_unknown', `the web client failed, and may have changed a setting${before}`);
  const refusal = refusedBy(code);
  if (changed.length === 0) return refusal;
  const message = `the network refused a setting (code ${code})${before}`;
  // `client_failed` says that nothing was changed.
  return new GatewayError(refusal.code === 'client_failed' ? 'outcome_unknown' : refusal.code, message, {
    retryAfterSeconds: refusal.retryAfterSeconds,
  });
}

/** Unix seconds of the page as a time of the API; undefined for anything else. */
export function isoOf(seconds: unknown): string | undefined {
  return typeof seconds === 'number' && seconds > 0 ? new Date(toTime(seconds) * 1_000).toISOString() : undefined;
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
    participants: people?.map((one) => ({ ...one, lid: one.lid ?? undefined })),
  };
  const valid = Object.entries(entries).flatMap(([name, schema]) => {
    const parsed = v.safeParse(schema as v.GenericSchema, read[name] ?? undefined);
    return parsed.success && parsed.output !== undefined ? [[name, parsed.output] as const] : [];
  });
  const details = v.safeParse(groupDetails, Object.fromEntries(valid));
  if (details.success) return details.output;
  throw new GatewayError('client_failed', 'the web client returned an invalid group');
}
