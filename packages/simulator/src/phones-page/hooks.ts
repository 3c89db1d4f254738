import { useEffect, useRef, useState } from 'preact/hooks';
import { Refusal } from './api.ts';

/** An action of the user on the page; one runs at a time. */
interface Action {
  /** For `aria-disabled`: a button that is disabled would lose the focus. */
  readonly isBusy: boolean;
  /** Why the last one failed. */
  readonly problem: string | undefined;
  /** Runs it; resolves with whether it succeeded. A second one meanwhile is ignored. */
  run(act: () => Promise<void>): Promise<boolean>;
}

/** The state of the action of a form or a button. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const run = async (act: () => Promise<void>) => {
    if (isBusy) return false;
    setBusy(true);
    setProblem(undefined);
    try {
      await act();
      return true;
    } catch (error) {
      const sentence = 'The simulator does not answer. Try again when it does.';
      setProblem(error instanceof Refusal ? error.message : sentence);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, run };
}

const INTERVAL_MS = 500;

interface Live<T> {
  /** Undefined until it was loaded once; stays the same object while nothing changes. */
  readonly value: T | undefined;
  /** The last attempt failed. */
  readonly lost: boolean;
  /** Loads at once, after a change by this page. */
  refresh(): void;
}

/**
 * Loads every half second while the page is visible, and at once when `key` changes. After a failure the last value
 * stays, and loading is retried.
 */
export function useLive<T>(key: string, load: () => Promise<T>): Live<T> {
  const [{ value, lost }, setState] = useState<{ value: T | undefined; lost: boolean }>({
    value: undefined,
    lost: false,
  });
  const refresh = useRef(() => {});
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLoading = false;
    let isAsked = false;
    let isOver = false;
    const run = async () => {
      isAsked = true;
      if (isLoading) return;
      isLoading = true;
      clearTimeout(timer);
      // The values may have changed since the load in progress started: a request meanwhile causes another one.
      while (isAsked && !isOver) {
        isAsked = false;
        const found = await load().then(
          (loaded) => ({ value: loaded, lost: false }),
          () => ({ lost: true }),
        );
        if (!isOver) setState((last) => keep(last, { ...last, ...found }));
      }
      isLoading = false;
      if (!isOver && !document.hidden) timer = setTimeout(run, INTERVAL_MS);
    };
    const look = () => {
      if (!document.hidden) void run();
    };
    document.addEventListener('visibilitychange', look);
    refresh.current = () => void run();
    void run();
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [key]);
  return { value, lost, refresh: () => refresh.current() };
}

/** Returns the last state if nothing has changed, which avoids a new render. */
function keep<T>(last: T, next: T): T {
  return JSON.stringify(last) === JSON.stringify(next) ? last : next;
}
