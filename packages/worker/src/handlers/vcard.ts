/** A person on a contact card. */
export interface CardContact {
  readonly name: string;
  /** `<digits>@c.us` */
  readonly number: string;
  readonly organization?: string | undefined;
}

/**
 * The card of a person, as the network's own clients write it: with `waid`, so that a phone offers to write to that
 * person. Not with a library: vcard-creator, the best maintained one, writes parameters in capitals, has none for
 * `waid`, and does not escape a lone carriage return. Backslashes, semicolons and commas are escaped.
 */
export function vcardOf({ name, number, organization }: CardContact): string {
  const digits = number.replace(/\D/g, '');
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${escaped(name)};;;`,
    `FN:${escaped(name)}`,
    ...(organization === undefined ? [] : [`ORG:${escaped(organization)}`]),
    `TEL;type=CELL;waid=${digits}:+${digits}`,
    'END:VCARD',
  ].join('\n');
}

/** The request's schema rejects line breaks; if one still gets here, it cannot start a new line. */
function escaped(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(/[\\;,]/g, '\\$&');
}
