import { type CallOptions, GatewayError } from '@chat-web/protocol';

/** Waits for shared work on behalf of one caller: its signal and its time limit end the waiting, not the work. */
export async function leavingOn<T>({ signal, timeoutMs }: CallOptions, work: Promise<T>): Promise<T> {
  if (!signal && timeoutMs === undefined) return work;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let leave: (() => void) | undefined;
  const left = new Promise<never>((_, reject) => {
    if (timeoutMs !== undefined) {
      const late = () =>
        reject(new GatewayError('internal_error', `no answer came within ${timeoutMs} ms`, { status: null }));
      timer = setTimeout(late, timeoutMs);
    }
    leave = () => reject(signal?.reason);
    if (signal?.aborted) leave();
    else signal?.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([work, left]);
  } finally {
    clearTimeout(timer);
    if (leave) signal?.removeEventListener('abort', leave);
  }
}
