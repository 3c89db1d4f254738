import * as v from 'valibot';

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

/** E.164 without the plus: a country code never starts with 0, and the longest number has 15 digits. */
const phoneNumber = /^\+?([1-9]\d{4,14})(@c\.us)?$/;
export const STATUS_FEED = 'status@broadcast';

const MUST_BE_PHONE = 'must be a phone number with its country code: +<digits>, <digits> or <digits>@c.us';
const fullChatId = /^(\d{1,20}(-\d{1,20})?@g\.us|\d{1,20}@lid|\d{1,20}@broadcast|status@broadcast)$/;

/** Completes a phone number to an id; other ids must have the pattern. */
const fullIdIn = (pattern: RegExp, message: string) =>
  v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
    const digits = phoneNumber.exec(dataset.value)?.[1];
    if (digits) return `${digits}@c.us`;
    if (pattern.test(dataset.value)) return dataset.value;
    addIssue({ message });
    return NEVER;
  });

/**
 * Whom a message is for. A caller writes `+<digits>`, `<digits>`, `<digits>@c.us`, or a full id of a group
 * (`@g.us`), a broadcast (`@broadcast`) or a hidden number (`@lid`); a handler gets the full id.
 */
export const recipient = v.pipe(
  v.string(),
  fullIdIn(
    fullChatId,
    'must be a phone number with its country code (+<digits> or <digits>), or a full id such as <gid>@g.us',
  ),
  v.description('+<digits>, <digits>, <digits>@c.us, <gid>@g.us, <digits>@lid, <id>@broadcast or status@broadcast'),
);

/**
 * A message's id as the network serialises it: `<fromMe>_<chat>_<key>`, in groups followed by `_<author>`, and in the
 * chat with oneself by `_out`.
 */
export const messageId = v.pipe(
  v.string(),
  v.maxLength(200, 'must be a message id'),
  v.regex(
    /^(true|false)_[\w.-]+@[a-z.]+_[A-Za-z0-9.:-]+(_(in|out))?(_[\w.:-]+@[a-z.]+)?$/,
    'must be a message id from a response or an event',
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (dataset.typed && dataset.value.includes('@newsletter_'))
      addIssue({ message: 'belongs to a channel: channel messages can only be listed' });
  }),
);

export const callId = v.pipe(v.string(), v.regex(/^[\w-]{8,100}$/, 'must be the id of a call from an event'));

/** A person: a phone number in any of its forms; a handler gets `<digits>@c.us`. */
export const personId = v.pipe(
  v.string(),
  v.regex(phoneNumber, MUST_BE_PHONE),
  v.transform((written) => `${phoneNumber.exec(written)?.[1]}@c.us`),
);

/** A person whom the account knows: a phone number in any of its forms, or a hidden id (`<digits>@lid`). */
export const contactId = v.pipe(
  v.string(),
  fullIdIn(/^\d{1,20}@lid$/, `${MUST_BE_PHONE}, or <digits>@lid`),
  v.description('+<digits>, <digits>, <digits>@c.us or <digits>@lid'),
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
