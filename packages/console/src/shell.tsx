import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary, useMemo, useRef } from 'preact/hooks';
import { connection, mayCall, signOut } from './connection.ts';
import { LiveSessions } from './live/live-sessions.ts';
import { Empty } from './parts/empty.tsx';
import { fullTime } from './parts/format.ts';
import { SecretDialog } from './parts/secret.tsx';
import { Time } from './parts/time.tsx';
import { hrefTo, route } from './route.ts';
import { EventsView } from './views/events/events-view.tsx';
import { HostView } from './views/host/host-view.tsx';
import { KeysView } from './views/keys/keys-view.tsx';
import { SessionView } from './views/session/session-view.tsx';
import { SessionsView } from './views/sessions/sessions-view.tsx';
import { WebhookView } from './views/webhooks/webhook-view.tsx';
import { WebhooksView } from './views/webhooks/webhooks-view.tsx';

interface ViewProps {
  readonly sessions: LiveSessions;
  /** The segments of the address after the view, such as the id of a session. */
  readonly rest: readonly string[];
}

interface View {
  readonly title: string;
  /** False: the caller may not use it, and does not see it. */
  isAllowed(): boolean;
  show(props: ViewProps): ComponentChildren;
}

const VIEWS: Readonly<Record<string, View>> = {
  sessions: {
    title: 'Sessions',
    isAllowed: () => true,
    show: ({ sessions, rest: [id] }) =>
      id === undefined ? <SessionsView sessions={sessions} /> : <SessionView key={id} id={id} sessions={sessions} />,
  },
  events: {
    title: 'Events',
    isAllowed: () => true,
    show: ({ sessions, rest: [only = ''] }) => <EventsView key={only} only={only} sessions={sessions} />,
  },
  webhooks: {
    title: 'Webhooks',
    isAllowed: () => mayCall('listWebhooks'),
    show: ({ sessions, rest: [id] }) =>
      id === undefined ? <WebhooksView sessions={sessions} /> : <WebhookView key={id} id={id} sessions={sessions} />,
  },
  keys: {
    title: 'Keys',
    isAllowed: () => mayCall('listKeys') || connection().access.id === 'open', // It explains how to get keys.
    show: ({ sessions }) => <KeysView sessions={sessions} />,
  },
  host: {
    title: 'Host',
    isAllowed: () => mayCall('getHost'),
    show: () => <HostView />,
  },
};

/** The frame of all views: the navigation, the caller, and whether the gateway answers. */
export function Shell() {
  const { access } = connection();
  const sessions = useMemo(() => new LiveSessions(connection()), []);
  useEffect(() => () => sessions.stop(), [sessions]);
  const [name = 'sessions', ...rest] = route.value;
  const view = Object.hasOwn(VIEWS, name) ? VIEWS[name] : undefined;
  const isShown = view?.isAllowed() === true;
  const place = route.value.join('/');
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${rest[0] ?? view?.title ?? 'Not found'} - Chat-web console`;
    // A new view begins at its top, visually and for the keyboard.
    if (!isFirst.current) {
      scrollTo(0, 0);
      document.getElementById('main')?.focus();
    }
    isFirst.current = false;
  }, [place]);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header class="bar">
        <span class="brand">Chat-web</span>
        <nav aria-label="Views">
          {Object.entries(VIEWS).map(
            ([path, { title, isAllowed }]) =>
              isAllowed() && (
                <a key={path} href={hrefTo(path)} aria-current={path === name ? 'page' : undefined}>
                  {title}
                </a>
              ),
          )}
          <a href="../docs/">Reference</a>
        </nav>
        <span class="who">
          {access.name ?? (access.id === 'open' ? 'no token is set' : 'CHAT_WEB_TOKEN')}{' '}
          <span class="soft">
            {access.scope}
            {access.expiresAt !== undefined && (
              <>
                , expires <Time at={access.expiresAt} />
              </>
            )}
          </span>
          {access.id !== 'open' && (
            <button type="button" class="quiet" onClick={() => signOut()}>
              Sign out
            </button>
          )}
        </span>
      </header>
      <LostNote sessions={sessions} />
      <VersionNote sessions={sessions} />
      <main id="main" tabIndex={-1}>
        {view && isShown ? (
          <Guarded place={place}>{view.show({ sessions, rest })}</Guarded>
        ) : (
          <Empty title={view ? 'Your key does not allow this view.' : 'There is no such view.'}>
            <a href={hrefTo('sessions')}>To the sessions</a>
          </Empty>
        )}
      </main>
      <SecretDialog />
    </>
  );
}

/** Says that the sessions cannot be read. It disappears automatically. */
function LostNote({ sessions }: { readonly sessions: LiveSessions }) {
  const { value: lost } = sessions.lost;
  // With a fixed time: a screen reader reads the whole note again whenever it changes.
  return (
    <div role="status" class={lost ? 'lost' : ''}>
      {lost &&
        `The sessions could not be read since ${fullTime(lost.since.getTime())}: ${lost.why}. The page shows the state of that time; the console retries automatically.`}
    </div>
  );
}

interface GuardedProps {
  /** The route of the page; the view is tried again when it changes. */
  readonly place: string;
  readonly children: ComponentChildren;
}

/**
 * Shows an error in place of a view that cannot be drawn: a newer gateway may answer with data that this page does not
 * know.
 */
function Guarded({ place, children }: GuardedProps) {
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

/**
 * Says that the gateway was updated, and that this page is of the former version. Checks when the gateway, or the page,
 * is back.
 */
function VersionNote({ sessions }: { readonly sessions: LiveSessions }) {
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
