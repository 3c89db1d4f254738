import * as v from 'valibot';

/**
 * How much there may be of what comes out of a page: more than any honest account has, so that what breaks these
 * bounds is no account. Texts in UTF-16 units. A worker cuts what strangers have written; the gateway refuses.
 */
export const LIMITS = {
  /** The network takes texts of 65,536 characters, and contact cards come with their pictures. */
  body: 262_144,
  name: 1_000,
  filename: 1_000,
  mimeType: 255,
  mentions: 5_000,
  listed: 50_000,
  reason: 1_000,
  pageVersion: 40,
  /** The longest file that a message has is 2 GB. */
  fileBytes: 4 * 1_073_741_824,
  /** The year 2106, in Unix seconds. */
  time: 2 ** 32 - 1,
} as const;

/** What the page says of its version becomes the name of a file, and a label of the metrics. */
export const PAGE_VERSION = new RegExp(`^\\w[\\w.-]{0,${LIMITS.pageVersion - 1}}$`);

/** The files in which a build of the page is saved, in a folder of such: its document, and the headers that it came with. */
export const savedPageFiles = (version: string) => ({ html: `${version}.html`, headers: `${version}.headers.json` });

/** A text that was written by a person. */
export const writtenText = (most: number) => v.pipe(v.string(), v.maxLength(most));

/** A list that is counted before each of its items is looked at: a long one would take seconds. */
export const listOf = <S extends v.GenericSchema>(item: S, most: number) =>
  v.pipe(v.array(v.unknown()), v.maxLength(most), v.array(item));

/** A whole number of something that is counted. */
export const count = (most: number) => v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(most));

/** Unix seconds, in a range of which each is a date. */
export const unixSeconds = v.pipe(v.number(), v.minValue(0), v.maxValue(LIMITS.time));

/** An id of the network's: of a message, a chat or a person. Part of a message's id is its sender's choice. */
export const networkId = v.pipe(v.string(), v.maxLength(300), v.regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]+$/u));

/** A sentence of another process, for people: it is cut and kept on one line rather than refused. */
export const sentence = v.pipe(
  v.string(),
  v.transform((text) => text.slice(0, LIMITS.reason).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')),
);

/** A text without its end, where it is longer than it may be; never half a character. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}
