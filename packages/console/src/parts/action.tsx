import { type CallOptions, GatewayError, type OperationMethods } from '@chat-web/host';
import { errorTable, type OperationName } from '@chat-web/protocol';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { connection } from '../connection.ts';

export interface Action {
  /** Starts it, unless it is running. Never rejects. Resolves with true if it succeeded. */
  run(): Promise<boolean>;
  /** For `aria-disabled`: a disabled button would lose the focus. */
  readonly isBusy: ReadonlySignal<boolean>;
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

export interface Loaded<T> {
  /** Undefined until the first reading. */
  readonly value: ReadonlySignal<T | undefined>;
  readonly failure: ReadonlySignal<unknown>;
  /** Reads it again now. Never rejects. */
  reload(): Promise<void>;
}

type Input<N extends OperationName> = NonNullable<Parameters<OperationMethods[N]>[0]>;
type Answer<N extends OperationName> = Awaited<ReturnType<OperationMethods[N]>>;

/**
 * Reads data when the view is first shown, again when the input changes, and then every `everyMs` while the page is
 * visible.
 */
export function useLoaded<N extends OperationName>(name: N, input: Input<N>, everyMs?: number): Loaded<Answer<N>> {
  const read = connection().client[name] as unknown as (input: Input<N>, options: CallOptions) => Promise<Answer<N>>;
  const value = useSignal<Answer<N> | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
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
        const answer = await read(input, { signal: over.signal, retries: 0 });
        if (over.signal.aborted || own !== newest) return; // A later reading is newer.
        value.value = answer;
        failure.value = undefined;
      } catch (error) {
        if (over.signal.aborted || own !== newest) return;
        failure.value = error;
      }
      if (everyMs !== undefined) timer = setTimeout(() => void reloadIfVisible(), everyMs);
    };
    const reloadIfVisible = () => (document.hidden ? undefined : reload.current());
    const onVisibility = () => {
      if (everyMs !== undefined) void reloadIfVisible();
    };
    document.addEventListener('visibilitychange', onVisibility);
    value.value = undefined;
    void reload.current();
    return () => {
      over.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [name, JSON.stringify(input), everyMs]);
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
        {status === undefined ? 'The gateway did not respond.' : `${status} ${code}: ${errorTable[code].when}.`}
        {requestId !== undefined && ` Request ${requestId} in the log.`}
      </p>
    </div>
  );
}

interface ReadingProps<T> {
  readonly of: Loaded<T>;
  /** The subject, such as `the keys`. */
  readonly what: string;
  children(value: T): ComponentChildren;
}

/** Shows data for a view; before that, that it is being read, or why it cannot be read. */
export function Reading<T>({ of: { value, failure, reload }, what, children }: ReadingProps<T>) {
  const { value: read } = value;
  return (
    <>
      <Failure error={failure.value} />
      {read !== undefined ? (
        children(read)
      ) : failure.value === undefined ? (
        <p role="status">Reading {what} …</p>
      ) : (
        <button type="button" onClick={() => void reload()}>
          Try again
        </button>
      )}
    </>
  );
}
