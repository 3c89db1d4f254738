const MB = 1_048_576;

/** Bytes as whole megabytes. */
export function inMb(bytes: number): string {
  return `${Math.round(bytes / MB)} MB`;
}

/** Milliseconds as seconds. */
export function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** A share as `3 of 4 (75 %)`. */
export function share(part: number, whole: number): string {
  return whole === 0 ? '0 of 0' : `${part} of ${whole} (${Math.round((part / whole) * 100)} %)`;
}

/** A number with thousands separators, so that it is not mistaken for a phone number. */
export function grouped(number: number): string {
  return Number.isFinite(number) ? number.toLocaleString('en') : 'unlimited';
}
