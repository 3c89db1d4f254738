/**
 * True if a session's id fits a pattern in which `*` stands for any characters, or none. In steps of at most the product
 * of both lengths: where the text goes on wrong, only the last star takes one character more.
 */
export function fitsPattern(pattern: string, id: string): boolean {
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
