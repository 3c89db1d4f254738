const MAX_WRITTEN_LENGTH = 60;

/** E.164 without the plus: a country code never starts with 0, and the longest number has 15 digits. */
const E164 = /^[1-9]\d{4,14}$/;
/** As programs write it. A plus in a query string arrives as a blank, which is trimmed. */
const AS_ID = /^\+?(\d+)(?:@c\.us|@s\.whatsapp\.net)?$/;
/** As people write it, from the country code on: only with a plus or 00 before it is it clear that there is one. */
const AFTER_PREFIX = /^(?:\+|00)((?:[\d .-]|\(\d+\))+)$/;
/** The trunk prefix, which is not dialled from abroad: what to leave out differs by country. */
const TRUNK_PREFIX = '(0)';

/**
 * The digits of a phone number, with its country code, as programs or people write it: `12025550102`,
 * `12025550102@s.whatsapp.net`, `+1 (202) 555-0102`, `001.202.555.0102` or `tel:+1-202-555-0102`, also with the
 * no-break spaces, direction marks and dashes of copied texts. Undefined if it is not clear which number is meant.
 */
export function phoneDigits(written: string): string | undefined {
  if (written.length > MAX_WRITTEN_LENGTH) return undefined;
  const plain = written
    .normalize('NFKC') // No-break spaces become spaces, full-width digits become digits.
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .trim()
    .replace(/^tel:/i, '');
  const rest = AFTER_PREFIX.exec(plain)?.[1];
  const digits = rest === undefined ? AS_ID.exec(plain)?.[1] : rest.replace(/\D/g, '');
  return digits !== undefined && E164.test(digits) && !plain.includes(TRUNK_PREFIX) ? digits : undefined;
}
