import { GatewayError } from '@chat-web/host';
import { useComputed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { adviceFor } from '../../advice.ts';
import { mayCall } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { Failure, Reading, useLoaded } from '../../parts/action.tsx';
import { Chart } from '../../parts/chart.tsx';
import { Empty } from '../../parts/empty.tsx';
import { bytesText, limitTexts } from '../../parts/format.ts';
import { shownText } from '../../parts/shown-text.ts';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefTo } from '../../route.ts';
import { LinkPanel } from './link-panel.tsx';
import { SessionButtons } from './session-buttons.tsx';
import { Timeline } from './timeline.tsx';

interface SessionProps {
  readonly id: string;
  readonly sessions: LiveSessions;
}

export function SessionView({ id, sessions }: SessionProps) {
  const session = useComputed(() => sessions.all.value?.get(id));
  useEffect(() => void sessions.refresh(), [id, sessions]);
  const { value: view } = session;
  if (sessions.all.value === undefined) return <p role="status">Reading the session …</p>;
  const advice = view && adviceFor(view);
  return (
    <>
      <p class="path">
        <a href={hrefTo('sessions')}>Sessions</a>
      </p>
      <div class="title">
        <h1>{id}</h1>
        {view && <Status session={view} />}
        {view && (
          <span class="soft">
            since <Time at={view.since} />
          </span>
        )}
      </div>
      {view === undefined ? (
        <Empty title="There is no such session.">
          <p>It was deleted, was never linked, or is not covered by your key.</p>
        </Empty>
      ) : (
        <>
          <div class="cause">
            {view.message && (
              <p>
                {view.message} {view.reason && <code class="soft">{view.reason}</code>}
              </p>
            )}
            {view.nextAttemptAt && (
              <p>
                The next attempt is <Time at={view.nextAttemptAt} />.
              </p>
            )}
            {advice && <p class="advice">{advice}</p>}
          </div>
          <SessionButtons session={view} onDone={() => void sessions.refresh()} />
          {view.status === 'qr' && <LinkPanel session={view} />}
          <section aria-labelledby="facts">
            <h2 id="facts">Now</h2>
            <dl class="facts">
              {view.status === 'ready' && <Account id={id} />}
              <dt>Restarts</dt>
              <dd>{view.restarts} since the gateway started</dd>
              <dt>Last event</dt>
              <dd>{view.lastEventAt ? <Time at={view.lastEventAt} /> : 'none since the gateway started'}</dd>
              <dt>Memory</dt>
              <dd>
                {view.memory
                  ? `${bytesText(view.memory.browserBytes)} browser, ${bytesText(view.memory.workerBytes)} worker`
                  : 'not running, or not measured yet'}
              </dd>
              <dt>Disk</dt>
              <dd>{view.diskBytes === undefined ? 'not measured yet' : bytesText(view.diskBytes)}</dd>
              <dt>Page</dt>
              <dd>{view.pageVersion ?? 'not checked yet'}</dd>
              {view.proxy && (
                <>
                  <dt>Proxy</dt>
                  <dd>
                    {view.proxy.url}
                    {view.proxy.hasCredentials && ', with a user and a password'}
                  </dd>
                </>
              )}
              {view.deviceName !== undefined && (
                <>
                  <dt>Device name</dt>
                  <dd>{view.deviceName}</dd>
                </>
              )}
              {view.limits && view.limits.length > 0 && (
                <>
                  <dt>Limits of WhatsApp</dt>
                  <dd>{limitTexts(view.limits).join(', ')}</dd>
                </>
              )}
            </dl>
            <MemoryChart id={id} />
          </section>
          {view.degraded && view.degraded.length > 0 && (
            <section aria-labelledby="degraded">
              <h2 id="degraded">What does not work on this build of the page</h2>
              <ul>
                {view.degraded.map(({ capability, reason }) => (
                  <li key={capability}>
                    <strong>{capability}</strong>: {reason}
                  </li>
                ))}
              </ul>
              <p class="soft">These return 501; everything else works. See docs/page-changes.md.</p>
            </section>
          )}
          <Timeline id={id} />
          <p>
            <a href={hrefTo('events', id)}>All events of {id}</a>, <a href={referenceFor(id)}>try a call with it</a>
          </p>
        </>
      )}
    </>
  );
}

/** The reference, with the form of a call that the key allows, and the session filled in. */
function referenceFor(id: string): string {
  const call = mayCall('sendMessage') ? 'Messages/sendMessage' : 'Chats/listChats';
  return `../docs/?${new URLSearchParams({ session: id })}#/${call}`;
}

function Account({ id }: { readonly id: string }) {
  const info = useLoaded('getSessionInfo', { id });
  const { value } = info.value;
  const { value: failure } = info.failure;
  const isOver = failure instanceof GatewayError && failure.code === 'session_not_ready';
  return (
    <>
      <dt>Account</dt>
      <dd>
        {value &&
          `${shownText(value.pushname) || 'no name'}, ${value.phone || value.wid}, ${shownText(value.platform)}`}
        {failure !== undefined && !isOver && <Failure error={failure} />}
      </dd>
    </>
  );
}

/** The gateway takes at most one sample a minute. */
const STEP_MS = 60_000;

function MemoryChart({ id }: { readonly id: string }) {
  const loaded = useLoaded('getSessionMemory', { id }, STEP_MS);
  return (
    <Reading of={loaded} what="its memory">
      {({ samples }) => (
        <Chart
          title="Memory over the last hour"
          points={samples.map(({ at, workerBytes, browserBytes }) => ({
            at: Date.parse(at),
            value: workerBytes + browserBytes,
          }))}
          stepMs={STEP_MS}
          until={Math.max(Date.now(), Date.parse(samples.at(-1)?.at ?? '') || 0)} // The clocks may differ.
          text={bytesText}
        />
      )}
    </Reading>
  );
}
