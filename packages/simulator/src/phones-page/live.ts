import { useEffect, useRef, useState } from 'preact/hooks';

const intervalMs = 500;

/** What was loaded last. */
interface Live<T> {
  /** Undefined until it was loaded once; stays the same object while nothing changes. */
  readonly value: T | undefined;
  /** The last attempt failed. */
  readonly lost: boolean;
  /** Loads at once, for what this page has changed itself. */
  refresh(): void;
}

/**
 * Loads every half second while somebody looks at the page, and at once when `key` changes. Where it fails, the last
 * value stays, and the attempts go on.
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
      // What is asked for meanwhile may have changed after the look that is under way.
      while (isAsked && !isOver) {
        isAsked = false;
        const found = await load().then(
          (loaded) => ({ value: loaded, lost: false }),
          () => ({ lost: true }),
        );
        if (!isOver) setState((last) => keep(last, { ...last, ...found }));
      }
      isLoading = false;
      if (!isOver && !document.hidden) timer = setTimeout(run, intervalMs);
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

/** The last state where nothing has changed: nothing is then drawn again. */
function keep<T>(last: T, next: T): T {
  return JSON.stringify(last) === JSON.stringify(next) ? last : next;
}
