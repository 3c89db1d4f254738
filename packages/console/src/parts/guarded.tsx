import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { Empty } from './empty.tsx';

interface GuardedProps {
  /** The route of the page; the view is tried again when it changes. */
  readonly place: string;
  readonly children: ComponentChildren;
}

/**
 * Shows an error in place of a view that cannot be drawn: a newer gateway may answer with data that this page does not
 * know.
 */
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
