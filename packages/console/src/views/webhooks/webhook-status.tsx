import type { WebhookView } from '@chat-web/protocol';
import { Badge } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { DISABLED_TEXTS, STATUS_LOOKS } from './webhook-texts.ts';

/** The status of a webhook, as a word and a shape. */
export function WebhookStatus({ of: { status } }: { readonly of: WebhookView }) {
  const { word, tone } = STATUS_LOOKS[status];
  return <Badge tone={tone}>{word}</Badge>;
}

/** Why a webhook does not deliver, and what happens next; nothing if it does deliver. */
export function WebhookCause({ of: { status, reason, lastFailure, nextAttemptAt } }: { readonly of: WebhookView }) {
  if (status === 'active') return null;
  return (
    <>
      {reason && DISABLED_TEXTS[reason]}
      {status === 'failing' && lastFailure && (
        <>
          Last attempt <Time at={lastFailure.at} />: {lastFailure.message}.
        </>
      )}
      {nextAttemptAt && (
        <>
          {' '}
          Next attempt <Time at={nextAttemptAt} />.
        </>
      )}
    </>
  );
}
