import type { EventName } from '@chat-web/host';
import type { WebhookView } from '@chat-web/protocol';
import { Badge, type Tone } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';

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

const STATUS_LOOKS: Readonly<Record<WebhookView['status'], { readonly word: string; readonly tone: Tone }>> = {
  active: { word: 'Active', tone: 'good' },
  failing: { word: 'Failing', tone: 'attention' },
  disabled: { word: 'Disabled', tone: 'bad' },
};

const DISABLED_TEXTS: Readonly<Record<NonNullable<WebhookView['reason']>, string>> = {
  gone: 'The endpoint returned 410: it wants no more events. If that has changed, enable the webhook: it resumes where it was.',
  no_success:
    'Nothing was delivered for 72 hours. Fix the endpoint, send a test, then enable it: it resumes where it was.',
  no_access: 'The key that created it was revoked or has expired. Enable it, and it belongs to you; or delete it.',
};

/** The meaning of each event of a webhook. A gap is delivered whatever is chosen. */
export const EVENT_TEXTS: Readonly<Record<Exclude<EventName, 'qr' | 'pairing_code' | 'gap'>, string>> = {
  ready: 'a session is connected',
  message: 'a message was received',
  message_ack: 'a message was delivered, read or played',
  disconnected: 'a session is no longer connected, and why',
  passkey_required: 'an account asks for its passkey when it is linked',
  status: 'each change of a session, even while it starts',
  limits: 'WhatsApp limits the account, or lifts a limit',
  message_sent: 'the account sent a message on another device',
  message_reaction: 'someone reacted to a message, or removed the reaction',
  poll_vote: 'someone voted in a poll',
  message_edited: 'a message was edited, with its new text',
  message_revoked: 'a message was deleted for everyone',
  group_joined: 'people joined a group',
  group_left: 'people left a group, or were removed',
  group_request: 'people ask to join a group',
  presence: 'a person is online, typing or recording, in a chat whose presence is subscribed',
  chat_updated: 'a chat was archived, pinned, muted, read or marked as unread',
  call: 'a call is ringing, was missed or has ended',
  group_updated: 'the name, settings or admins of a group changed',
};

export const CHOICES = Object.keys(EVENT_TEXTS) as (keyof typeof EVENT_TEXTS)[];
