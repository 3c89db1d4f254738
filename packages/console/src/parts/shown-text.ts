import { cutText } from '@chat-web/protocol';

/** Characters that reverse the text after them, even that of the page. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;
/** Combining marks stack without a limit: they would cover the lines above and below. */
const STACKED = /(\p{M}{4})\p{M}+/gu;
/** Invisible characters, and those that reverse text; not the joiners of letters and emoji. */
const INVISIBLE =
  /[\u007f-\u009f\u2028\u2029\ufeff]|\p{Bidi_Control}|(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/**
 * A text from strangers in one line, truncated, and without characters that would reverse or cover the text around it.
 */
export function shownText(text: string, max = 200): string {
  const shown = text.replace(TURNING, '').replace(STACKED, '$1').replace(/\s+/g, ' ').trim();
  return shown.length <= max ? shown : `${cutText(shown, max)} …`;
}

/** A value as indented JSON, with invisible characters escaped. */
export function jsonText(value: unknown): string {
  return (JSON.stringify(value, undefined, 2) ?? 'undefined').replace(INVISIBLE, (found) =>
    [...found].flatMap(unitsOf).join(''),
  );
}

function unitsOf(character: string): string[] {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`);
}
