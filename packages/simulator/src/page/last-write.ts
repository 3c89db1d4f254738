const key = 'lastWrite';

/** What was last written for a test, by this page or by one before it in the same browser profile. */
export function readLastWrite(): string | undefined {
  return localStorage.getItem(key) ?? undefined;
}

export function writeLast(value: string): void {
  localStorage.setItem(key, value);
}
