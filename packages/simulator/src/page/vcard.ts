/** A contact card of somebody. */
export function vcardOf(name: string, number: string): string {
  const lines = ['BEGIN:VCARD', 'VERSION:3.0', `N:;${name};;;`, `FN:${name}`];
  return [...lines, `TEL;type=CELL;waid=${number}:+${number}`, 'END:VCARD'].join('\n');
}

/** The name on a card; undefined where the text is none. */
export function parseVcard(text: string): string | undefined {
  if (!/^BEGIN:VCARD[\s\S]*END:VCARD\s*$/.test(text)) return undefined;
  return /^FN[^:\n]*:(.*)$/m.exec(text)?.[1]?.trim();
}
