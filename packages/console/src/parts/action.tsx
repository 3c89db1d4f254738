import { GatewayError } from '@chat-web/host';
import { errorTable } from '@chat-web/protocol';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** An action requested by the user. */
export interface Action {
  /** Starts it, unless it is running. Never rejects. Resolves with true if it succeeded. */
  run(): Promise<boolean>;
  /** For `aria-disabled`: a disabled button would lose the focus. */
  readonly isBusy: ReadonlySignal<boolean>;
  /** The error of the last attempt. */
  readonly failure: ReadonlySignal<unknown>;
}

/** Work that a button starts: one run at a time, with its error for display. */
export function useAction(work: () => Promise<unknown>): Action {
  const isBusy = useSignal(false);
  const failure = useSignal<unknown>(undefined);
  return {
    isBusy,
    failure,
    async run() {
      if (isBusy.peek()) return false;
      isBusy.value = true;
      failure.value = undefined;
      try {
        await work();
        return true;
      } catch (error) {
        failure.value = error;
        return false;
      } finally {
        isBusy.value = false;
      }
    },
  };
}

/** Data for a view. */
export interface Loaded<T> {
  /** Undefined until the first reading. */
  readonly value: ReadonlySignal<T | undefined>;
  readonly failure: ReadonlySignal<unknown>;
  /** Reads it again now. Never rejects. */
  reload(): Promise<void>;
}

/**
 * Reads data when the view is first shown, again when `key` changes, and then every `everyMs` while the page is
 * visible.
 */
export function useLoaded<T>(
  read: (signal: AbortSignal) => Promise<T>,
  { key = '', everyMs }: { readonly key?: string; readonly everyMs?: number } = {},
): Loaded<T> {
  const value = useSignal<T | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const latest = useRef(read);
  latest.current = read;
  const reload = useRef(async () => {});
  useEffect(() => {
    const over = new AbortController();
    let timer: number | undefined;
    let newest = 0;
    reload.current = async () => {
      clearTimeout(timer);
      newest += 1;
      const own = newest;
      try {
        const answer = await latest.current(over.signal);
        if (over.signal.aborted || own !== newest) return; // A later reading is newer.
        value.value = answer;
        failure.value = undefined;
      } catch (error) {
        if (over.signal.aborted || own !== newest) return;
        failure.value = error;
      }
      if (everyMs !== undefined) timer = setTimeout(() => void whenLookedAt(), everyMs);
    };
    const whenLookedAt = () => (document.hidden ? undefined : reload.current());
    const onVisibility = () => {
      if (everyMs !== undefined) void whenLookedAt();
    };
    document.addEventListener('visibilitychange', onVisibility);
    value.value = undefined;
    void reload.current();
    return () => {
      over.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [key, everyMs]);
  return { value, failure, reload: () => reload.current() };
}

/** Why something failed: the gateway's sentence, and the meaning of its code. */
export function Failure({ error }: { readonly error: unknown }) {
  if (error === undefined) return null;
  if (!(error instanceof GatewayError))
    return (
      <p role="alert" class="failure">
        {String(error)}
      </p>
    );
  const { code, message, status, requestId } = error;
  return (
    <div role="alert" class="failure">
      <p>{message}</p>
      <p class="soft">
        {status === undefined ? 'The gateway did not answer.' : `${status} ${code}: ${errorTable[code].when}.`}
        {requestId !== undefined && ` Request ${requestId} in the log.`}
      </p>
    </div>
  );
}
