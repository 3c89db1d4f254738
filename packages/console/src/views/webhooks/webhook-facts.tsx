import type { WebhookView } from '@chat-web/protocol';
import { Time } from '../../parts/time.tsx';
import { counted } from '../../parts/words.ts';

/** The subscription of a webhook, and its progress. */
export function WebhookFacts({ of }: { readonly of: WebhookView }) {
  const { id, sessions, events, createdAt, position, waiting, lastSuccessAt, lastFailure } = of;
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">Now</h2>
      <dl class="facts">
        <dt>Last success</dt>
        <dd>{lastSuccessAt === undefined ? 'none yet' : <Time at={lastSuccessAt} />}</dd>
        <dt>Last failure</dt>
        <dd>
          {lastFailure ? (
            <>
              <Time at={lastFailure.at} />: {lastFailure.message}
            </>
          ) : (
            'none'
          )}
        </dd>
        <dt>Waiting</dt>
        <dd>{waiting === 0 ? 'nothing' : `an event of ${counted(waiting, 'session')}, for its next attempt`}</dd>
        <dt>Sessions</dt>
        <dd>{sessions.join(', ')}</dd>
        <dt>Events</dt>
        <dd>{events.join(', ')}</dd>
        <dt>Position</dt>
        <dd>
          <code>{position}</code>
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
        <dt>Id</dt>
        <dd>
          <code>{id}</code>
        </dd>
      </dl>
    </section>
  );
}
