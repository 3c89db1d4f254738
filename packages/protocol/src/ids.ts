import * as v from 'valibot';
import { MAX_ID_LENGTH, networkId } from './limits.ts';
import { phoneDigits } from './phone-number.ts';

/** A session's id, chosen by the caller; also the name of its folder, hence the narrow alphabet. */
export const sessionId = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 characters of A-Z a-z 0-9 _ -'),
);

/** Sessions by their ids; `*` stands for any characters, or none. */
export const sessionPattern = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_*-]{1,64}$/, 'must be 1 to 64 characters of A-Z a-z 0-9 _ - and *'),
);

/** The id of an event: the epoch of the journal, then the number of the event. */
export const EVENT_ID = /^([0-9a-z]{1,32})-(\d{1,15})$/;

export const STATUS_FEED = 'status@broadcast';

const MUST_BE_PHONE = 'must be a phone number with its country code, such as +441632960123';
/** Of people who have no number: those whose number is hidden, bots, and the accounts of the network itself. */
const WITHOUT_NUMBER = String.raw`\d{1,20}@(lid|bot)|(0|[1-9]\d{15,19})@c\.us`;
const fullContactId = new RegExp(`^(${WITHOUT_NUMBER})$`);
const fullChatId = new RegExp(
  String.raw`^(\d{1,20}(-\d{1,20})?@g\.us|${WITHOUT_NUMBER}|\d{1,20}@broadcast|status@broadcast)$`,
);

/** Completes a phone number to an id; other ids must have the pattern. */
const fullIdIn = (pattern: RegExp | undefined, message: string) =>
  v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
    const digits = phoneDigits(dataset.value);
    if (digits) return `${digits}@c.us`;
    if (pattern?.test(dataset.value)) return dataset.value;
    addIssue({ message });
    return NEVER;
  });

/**
 * Whom a message is for. A caller writes a phone number in any form that `phoneDigits` knows, or a full id of a group
 * (`@g.us`), a broadcast (`@broadcast`), a hidden number (`@lid`) or a bot (`@bot`); a handler gets the full id.
 */
export const recipient = v.pipe(
  v.string(),
  fullIdIn(fullChatId, `${MUST_BE_PHONE}, or a full id such as <gid>@g.us or <digits>@lid`),
  v.description(
    '+<digits>, <digits>, <digits>@c.us, <gid>@g.us, <digits>@lid, <digits>@bot, <id>@broadcast or status@broadcast',
  ),
);

const MAX_PATTERN_LENGTH = 60;
/** With a star; no country code begins with 0. */
const NUMBER_PATTERN = /^\+?(?!0)(?=\d*\*)([\d*]{1,20})$/;
const ID_PATTERN = /^[\d*-]{1,41}@(c\.us|g\.us|lid|bot|broadcast|newsletter)$/;

/**
 * Recipients by their numbers or full ids; `*` stands for any digits, or none. A handler gets patterns of full ids: one of
 * a number matches people only.
 */
export const recipientPattern = v.pipe(
  v.string(),
  v.maxLength(MAX_PATTERN_LENGTH, `must be at most ${MAX_PATTERN_LENGTH} characters`),
  v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
    const digits = phoneDigits(dataset.value) ?? NUMBER_PATTERN.exec(dataset.value)?.[1];
    if (digits) return `${digits}@c.us`;
    if (ID_PATTERN.test(dataset.value) || dataset.value === STATUS_FEED) return dataset.value;
    addIssue({ message: 'must be a number such as +441632960123 or 44*, or a full id such as <gid>@g.us or *@g.us' });
    return NEVER;
  }),
  v.description(
    '+<digits>, <digits>, <digits>@c.us, <gid>@g.us, <digits>@lid, <digits>@newsletter or status@broadcast, with *',
  ),
);

const MUST_BE_MESSAGE = 'must be a message id from a response or an event';

/**
 * A message's id as the network serialises it: `<fromMe>_<chat>_<key>`, in groups followed by `_<author>`, and in the
 * chat with oneself by `_out`. The sender's software chooses the key, which may contain anything that a network id may.
 * The pattern has no flags, since forms that are made from the OpenAPI document use it without any.
 */
export const messageId = v.pipe(
  v.string(),
  v.maxLength(MAX_ID_LENGTH, MUST_BE_MESSAGE),
  v.regex(/^(true|false)_[A-Za-z0-9.:-]+@[a-z.]+_.+$/, MUST_BE_MESSAGE),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || dataset.issues) return;
    if (!v.is(networkId, dataset.value)) addIssue({ message: MUST_BE_MESSAGE });
    if (/^(true|false)_\d+@newsletter_/.test(dataset.value))
      addIssue({ message: 'belongs to a channel: channel messages can only be listed' });
  }),
);

/** The chat in the id of a message; undefined if it is none. */
export function chatOfMessage(id: string): string | undefined {
  return /^(?:true|false)_([^_]+)_/.exec(id)?.[1];
}

export const callId = v.pipe(
  v.string(),
  v.check((written) => written.length >= 8 && v.is(networkId, written), 'must be the id of a call from an event'),
);

/** A person: a phone number in any form that `phoneDigits` knows; a handler gets `<digits>@c.us`. */
export const personId = v.pipe(
  v.string(),
  fullIdIn(undefined, MUST_BE_PHONE),
  v.description('+<digits>, <digits> or <digits>@c.us'),
);

/** A person whom the account knows: a phone number in any of its forms, or a hidden id (`<digits>@lid`). */
export const contactId = v.pipe(
  v.string(),
  fullIdIn(fullContactId, `${MUST_BE_PHONE}, or <digits>@lid`),
  v.description('+<digits>, <digits>, <digits>@c.us, <digits>@lid or <digits>@bot'),
);

export const groupId = v.pipe(v.string(), v.regex(/^\d{1,20}(-\d{1,20})?@g\.us$/, 'must be a group id: <gid>@g.us'));

const fullChannelId = /^\d{5,30}@newsletter$/;

export const channelId = v.pipe(v.string(), v.regex(fullChannelId, 'must be a channel id: <digits>@newsletter'));

/** A channel, by its full id or by the code in its link. */
export const channelKey = v.pipe(
  v.string(),
  v.check(
    (written) => fullChannelId.test(written) || /^[\w-]{8,60}$/.test(written),
    'must be a channel id, <digits>@newsletter, or the code of an invitation',
  ),
);
