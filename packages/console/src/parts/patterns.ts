/** The session patterns that a person has written, between commas or spaces. */
export function patternsIn(written: string): string[] {
  return written.split(/[\s,]+/).filter(Boolean);
}
