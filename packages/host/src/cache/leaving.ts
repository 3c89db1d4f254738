/** Options of a call, as far as they matter to a request that several callers share. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The outcome of shared work, for one caller: its signal ends its waiting, not the work. */
export async function leavingOn<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  let leave: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (leave) signal.removeEventListener('abort', leave);
  }
}
