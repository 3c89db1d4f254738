import * as v from 'valibot';

/**
 * Limits of data from a page: more than any legitimate account has. Texts in UTF-16 units. A worker truncates what
 * other people wrote; the gateway rejects.
 */
export const LIMITS = {
  /** The network accepts 65,536 characters, and contact cards include pictures. */
  body: 262_144,
  /** Of a quoted message, whose whole text the message itself has. */
  quotedBody: 4_096,
  url: 4_096,
  /** A single emoji takes up to about 30 units. */
  emoji: 100,
  name: 1_000,
  filename: 1_000,
  mimeType: 255,
  mentions: 5_000,
  pollOptions: 100,
  /** More than a phone can send at once. */
  contactCards: 300,
  numbersOfCard: 20,
  members: 5_000,
  listed: 100_000,
  reason: 1_000,
  pageVersion: 40,
  /** The largest file of a message is 2 GB. */
  fileBytes: 4 * 1_073_741_824,
  /** The year 2106, in Unix seconds. */
  time: 2 ** 32 - 1,
} as const;

/** The longest text that the network accepts, in UTF-16 units. */
export const MAX_TEXT_LENGTH = 65_536;

/** The page's version becomes a file name and a label of the metrics. */
export const PAGE_VERSION = new RegExp(`^\\w[\\w.-]{0,${LIMITS.pageVersion - 1}}$`);

/** The file names of a saved build of the page: its document and its headers. */
export const savedPageFiles = (version: string) => ({ html: `${version}.html`, headers: `${version}.headers.json` });

/** A text written by a person. */
export const writtenText = (max: number) => v.pipe(v.string(), v.maxLength(max));

/** A list whose length is checked before its items: a long one would take seconds. `message`: if it is too long. */
export const listOf = <S extends v.GenericSchema>(item: S, max: number, message?: string) =>
  v.pipe(v.array(v.unknown()), v.maxLength(max, message), v.array(item));

/** An object with names of any choice, which are counted before they and their values are checked. */
export const pairsOf = <K extends v.GenericSchema<string, string>, V extends v.GenericSchema>(
  name: K,
  value: V,
  max: number,
  message?: string,
) =>
  v.pipe(
    v.record(v.string(), v.unknown()),
    v.check((pairs) => Object.keys(pairs).length <= max, message),
    v.record(name, value),
  );

/** Names that valibot leaves out of an object, without an issue. */
const LEFT_OUT = ['__proto__', 'constructor', 'prototype'];

/** The first step for pairs that callers send: refuses an object with a name that would be left out. */
export const pairsWithAllNames = v.pipe(
  v.unknown() as v.GenericSchema<Readonly<Record<string, unknown>>>, // `pairsOf` checks that.
  v.check(
    (pairs) => typeof pairs !== 'object' || !LEFT_OUT.some((name) => Object.hasOwn(pairs ?? {}, name)),
    `must not have the names ${LEFT_OUT.join(', ')}`,
  ),
);

export const count = (max: number) => v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(max));

/** Unix seconds in the range of valid dates. */
export const unixSeconds = v.pipe(v.number(), v.minValue(0), v.maxValue(LIMITS.time));

/** The longest id of a message, chat or person that is reported and accepted, in UTF-16 units. */
export const MAX_ID_LENGTH = 300;

/** An id of a message, chat or person. The sender chooses part of a message's id. */
export const networkId = v.pipe(v.string(), v.maxLength(MAX_ID_LENGTH), v.regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]+$/u));

/** A text from another process, for people: truncated to one line rather than rejected. */
export const sentence = v.pipe(
  v.string(),
  v.transform((text) => text.slice(0, LIMITS.reason).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')),
);

/** Truncates a text that is too long, never within a character. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}

/** The id or the name of a host of a cluster. */
export const hostName = v.pipe(v.string(), v.minLength(1), v.maxLength(40));
