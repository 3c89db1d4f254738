/**
 * True if a session id matches a pattern in which `*` stands for any characters, or none. Takes at most the product of
 * both lengths in steps: on a mismatch only the last star is extended, by one character.
 */
export function matchesPattern(pattern: string, id: string): boolean {
  let at = 0;
  let star = -1;
  let starAt = 0;
  for (let i = 0; i < id.length; ) {
    if (pattern[at] === '*') {
      star = at;
      starAt = i;
      at += 1;
    } else if (pattern[at] === id[i]) {
      at += 1;
      i += 1;
    } else if (star >= 0) {
      at = star + 1;
      starAt += 1;
      i = starAt;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
