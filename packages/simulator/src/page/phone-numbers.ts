/** The country codes of one and two digits; all others have three. */
const shortCodes = /^(?:1|7|20|27|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/** The country code that a number begins with. */
export function findCountryCode(number: string): string {
  return shortCodes.exec(number)?.[0] ?? number.slice(0, 3);
}

/** A number as people write it; in full only for North America. */
export function formatNumber(id: string): string {
  const number = id.replace(/@.*/, '');
  const code = findCountryCode(number);
  const rest = number.slice(code.length);
  const american = code === '1' && /^(\d{3})(\d{3})(\d{4})$/.exec(rest);
  return american ? `+1 (${american[1]}) ${american[2]}-${american[3]}` : `+${code} ${rest}`;
}
