const errorsAfterChanges = new WeakSet<object>();

/**
 * Marks an error of a request that may have changed something before it failed: the audit log always has a line of it.
 * Returns the error.
 */
export function afterChange(error: unknown): unknown {
  if (error instanceof Error) errorsAfterChanges.add(error);
  return error;
}

/** True for a marked error, and for one that it caused. */
export function isAfterChange(error: unknown): boolean {
  return error instanceof Error && (errorsAfterChanges.has(error) || isAfterChange(error.cause));
}
