import { cutText } from '@chat-web/protocol';

/** They turn around the text that follows them, also that of the page. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;
/** Marks are put above each other, without an end: they would cover what stands above and below. */
const STACKED = /(\p{M}{4})\p{M}+/gu;
/** What is invisible, or turns the text around it. All of it is valid as an escape in JSON. */
const INVISIBLE = /[\u007f-\u009f\u2028\u2029\ufeff]|\p{Bidi_Control}/gu;

/** A text of strangers in one line, cut, and without what would turn or cover the text around it. */
export function shownText(text: string, most = 200): string {
  const shown = text.replace(TURNING, '').replace(STACKED, '$1').replace(/\s+/g, ' ').trim();
  return shown.length <= most ? shown : `${cutText(shown, most)} …`;
}

/** A value as JSON, in which nothing is invisible. Indented, unless `indent` is 0. */
export function jsonText(value: unknown, indent = 2): string {
  return (JSON.stringify(value, undefined, indent) ?? 'undefined').replace(
    INVISIBLE,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
