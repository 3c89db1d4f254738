/** A person on a contact card. */
export interface CardContact {
  readonly name: string;
  /** `<digits>@c.us` */
  readonly number: string;
  readonly organization?: string | undefined;
}

/**
 * The card of a person, as the network's own clients write it: with `waid`, by which a phone offers to write to that
 * person. Not by a library: vcard-creator, the best kept one, puts parameters into capitals and has none for `waid`, and
 * lets a lone carriage return through. Backslashes, semicolons and commas are escaped.
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

/** The schema of the request lets no line break in; one that got here all the same ends nothing. */
function escaped(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(/[\\;,]/g, '\\$&');
}
