/** A contact card: the name of a person, and the telephone numbers, with a plus if they have a country code. */
export interface ContactCard {
  readonly name: string;
  readonly numbers: readonly string[];
}

/** A line of a vCard: `item1.TEL;TYPE=CELL;waid=12025550102:+1 202 555 0102`. */
interface Property {
  readonly name: string;
  /** In upper case, by name; one without a name is a type or an encoding, as older phones write them. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  readonly value: string;
}

/** Longer cards are read up to here: a picture may be larger, but comes after the name and the numbers. */
const MAX_LENGTH = 131_072;
/** More than a phone can send. */
const MAX_CARDS = 300;
const MAX_NUMBERS = 20;
const MAX_NAME = 1_000;

/**
 * Reads the vCards in a text, of versions 2.1 to 4.0, as far as names and numbers go. `shownName`: what the sender calls
 * the person, for a card without a name.
 */
export function readCards(text: string, shownName = ''): ContactCard[] {
  const cards: Property[][] = [];
  for (const line of linesOf(text.slice(0, MAX_LENGTH))) {
    const property = propertyOf(line);
    if (property?.name === 'BEGIN' && cards.length < MAX_CARDS) cards.push([]);
    else if (property && isRead.has(property.name)) cards.at(-1)?.push(property);
  }
  return cards.map((card) => ({ name: nameOf(card) || shownName, numbers: numbersOf(card) }));
}

const isRead = new Set(['FN', 'N', 'ORG', 'TEL']);

/** Joins lines that were folded, or continued by an equals sign at their end. */
function linesOf(text: string): string[] {
  const lines: string[][] = [];
  let isPrintable = false;
  let isContinued = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const isFolded = !isContinued && /^[ \t]/.test(line);
    if (!isContinued && !isFolded) {
      lines.push([]);
      isPrintable = /^[^:]*QUOTED-PRINTABLE/i.test(line);
    }
    isContinued = isPrintable && line.endsWith('=');
    lines.at(-1)?.push(line.slice(isFolded ? 1 : 0, isContinued ? -1 : undefined));
  }
  return lines.map((parts) => parts.join(''));
}

function propertyOf(line: string): Property | undefined {
  let isQuoted = false;
  let end = 0;
  for (; end < line.length && (isQuoted || line[end] !== ':'); end += 1) if (line[end] === '"') isQuoted = !isQuoted;
  if (end === line.length) return undefined;
  const [name = '', ...rest] = line.slice(0, end).split(';');
  const parameters = rest.map((parameter) => {
    const at = parameter.indexOf('=');
    return [parameter.slice(0, Math.max(0, at)).toUpperCase(), parameter.slice(at + 1).replaceAll('"', '')] as const;
  });
  return { name: name.replace(/^.*\./, '').trim().toUpperCase(), parameters, value: line.slice(end + 1) };
}

function parameterOf({ parameters }: Property, wanted: string): string | undefined {
  return parameters.find(([name]) => name === wanted)?.[1];
}

function decoded(property: Property): string {
  const isPrintable = property.parameters.some(([, value]) => value.toUpperCase() === 'QUOTED-PRINTABLE');
  if (!isPrintable) return property.value;
  const bytes = [...new TextEncoder().encode(property.value)];
  const plain: number[] = [];
  for (let at = 0; at < bytes.length; at += 1) {
    const hex = String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0);
    const isByte = bytes[at] === 0x3d && /^[\da-f]{2}$/i.test(hex);
    plain.push(isByte ? Number.parseInt(hex, 16) : (bytes[at] ?? 0));
    if (isByte) at += 2;
  }
  try {
    return new TextDecoder(parameterOf(property, 'CHARSET')).decode(new Uint8Array(plain));
  } catch {
    return new TextDecoder().decode(new Uint8Array(plain)); // An unknown charset.
  }
}

/** The parts of a value, at semicolons that are not escaped. */
function partsOf(property: Property): string[] {
  const parts = decoded(property).match(/(?:\\.|[^;\\])+/gs) ?? [];
  return parts.map((part) =>
    part
      .replace(/\\(.)/gs, (_, letter: string) => (/n/i.test(letter) ? ' ' : letter))
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

function nameOf(card: readonly Property[]): string {
  const partsBy = (wanted: string) => {
    const found = card.find(({ name }) => name === wanted);
    return found ? partsOf(found) : [];
  };
  const [family = '', given = ''] = partsBy('N');
  const names = [partsBy('FN').join('; '), `${given} ${family}`.trim(), partsBy('ORG').join(', ')];
  return (names.find((name) => name !== '') ?? '').slice(0, MAX_NAME);
}

function numbersOf(card: readonly Property[]): string[] {
  const numbers = card.flatMap((property) => {
    if (property.name !== 'TEL') return [];
    const account = parameterOf(property, 'WAID')?.replace(/\D/g, '');
    if (account) return [`+${account}`];
    const [written = ''] = decoded(property)
      .replace(/^tel:/i, '')
      .split(/[;,xX]/);
    const digits = written.replace(/\D/g, '');
    return digits === '' ? [] : [/^\s*\+/.test(written) ? `+${digits}` : digits];
  });
  return [...new Set(numbers)].filter((number) => number.length <= 30).slice(0, MAX_NUMBERS);
}
