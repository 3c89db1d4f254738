/** How long after it was sent a message can be edited. */
export const editWindowMs = 15 * 60_000;

/** How long after it was sent a message can be deleted for everyone. */
export const revokeWindowMs = 60 * 60_000;

/** Whether a message of that age, in Unix seconds, is still inside a window. */
export function isWithin(windowMs: number, timestamp: number): boolean {
  return Date.now() - timestamp * 1000 < windowMs;
}
