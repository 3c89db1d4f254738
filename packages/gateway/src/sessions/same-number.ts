/** Countries whose mobile numbers may have extra digits that the network may omit. */
const OPTIONAL_DIGIT: readonly (readonly [pattern: RegExp, without: string])[] = [
  [/^(55\d{2})9(\d{8})$/, '$1$2'], // Brazil
  [/^(52)1(\d{10})$/, '$1$2'], // Mexico
  [/^(54)9(\d{10})$/, '$1$2'], // Argentina
  [/^(229)01(\d{8})$/, '$1$2'], // Benin
];

/** True if two numbers, in digits, are or may be the same line. */
export function isSameNumber(one: string, other: string): boolean {
  return shortened(one) === shortened(other);
}

function shortened(number: string): string {
  return OPTIONAL_DIGIT.reduce((short, [pattern, without]) => short.replace(pattern, without), number);
}
