import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { Empty } from './empty.tsx';

interface GuardedProps {
  /** Where the page is: elsewhere, it is tried again. */
  readonly place: string;
  readonly children: ComponentChildren;
}

/** Shows why a view cannot be shown, in its place: a newer gateway may answer what this page does not know. */
export function Guarded({ place, children }: GuardedProps) {
  const [error, reset] = useErrorBoundary((thrown) => console.error(thrown));
  useEffect(reset, [place]);
  if (error === undefined) return <>{children}</>;
  return (
    <Empty title="This view could not be shown.">
      <p>{String(error)}</p>
      <p>Reload the page: the gateway may be another version. If that does not help, report it with this sentence.</p>
      <button type="button" onClick={reset}>
        Try again
      </button>
    </Empty>
  );
}
