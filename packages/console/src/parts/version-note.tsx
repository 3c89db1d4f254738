import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { connection } from '../connection.ts';
import type { LiveSessions } from '../live/live-sessions.ts';

/**
 * Says that the gateway was updated, and that this page is of the former version. Checks when the gateway, or the page,
 * is back.
 */
export function VersionNote({ sessions }: { readonly sessions: LiveSessions }) {
  const newer = useSignal<string | undefined>(undefined);
  const wasLost = useRef(false);
  /** How often the page became visible again. */
  const seen = useSignal(0);
  useEffect(() => {
    const onChange = () => {
      if (!document.hidden) seen.value += 1;
    };
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, [seen]);
  const isLost = sessions.lost.value !== undefined;
  useEffect(() => {
    if (isLost) wasLost.current = true;
    if (isLost || (!wasLost.current && seen.value === 0)) return;
    const { client, access } = connection();
    const over = new AbortController();
    const look = async () => {
      const { version } = await client.getAccess({}, { signal: over.signal });
      newer.value = version === access.version ? undefined : version;
    };
    look().catch(() => {}); // If the connection is lost again, the next check repeats it.
    return () => over.abort();
  }, [isLost, seen.value, newer]);
  return (
    <div role="status" class={newer.value === undefined ? '' : 'note'}>
      {newer.value !== undefined && (
        <>
          The gateway is version {newer.value} now; this page is of version {connection().access.version}.{' '}
          <button type="button" class="quiet" onClick={() => location.reload()}>
            Reload
          </button>
        </>
      )}
    </div>
  );
}
