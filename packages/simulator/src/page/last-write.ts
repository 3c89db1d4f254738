const key = 'lastWrite';

/** The last value written for a test, by this page or an earlier one in the same browser profile. */
export function readLastWrite(): string | undefined {
  return localStorage.getItem(key) ?? undefined;
}

export function writeLast(value: string): void {
  localStorage.setItem(key, value);
}
