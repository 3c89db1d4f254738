/** The session patterns in a written text, separated by commas or spaces. */
export function patternsIn(written: string): string[] {
  return written.split(/[\s,]+/).filter(Boolean);
}
