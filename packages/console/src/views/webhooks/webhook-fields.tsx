import { type ChangedWebhook, DEFAULT_EVENTS, type WebhookView } from '@chat-web/protocol';
import { type Signal, useSignal } from '@preact/signals';
import { connection } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { patternsIn } from '../../parts/format.ts';
import { PatternsField } from '../../parts/patterns-field.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { CHOICES, EVENT_TEXTS } from './webhook-status.tsx';

interface Written {
  readonly url: Signal<string>;
  readonly patterns: Signal<string>;
  readonly events: Signal<ReadonlySet<string>>;
  readonly authorization: Signal<string>;
  /** What the form does not show stays. */
  readonly kept: Pick<WebhookView, 'chats' | 'from'>;
}

/** The state of the fields, initially that of a webhook, or the usual choice. */
export function useWritten(before?: WebhookView): Written {
  const { url = '', sessions = connection().access.sessions, events = DEFAULT_EVENTS, chats, from } = before ?? {};
  return {
    url: useSignal(url),
    patterns: useSignal(sessions.join(' ')),
    events: useSignal<ReadonlySet<string>>(new Set(events)),
    authorization: useSignal(''),
    kept: { ...(chats ? { chats } : {}), ...(from ? { from } : {}) },
  };
}

export function subscriptionOf({ url, patterns, events, authorization, kept }: Written): ChangedWebhook {
  const chosen = CHOICES.filter((name) => events.value.has(name));
  const Authorization = authorization.value.trim();
  return {
    ...kept,
    url: url.value.trim(),
    sessions: patternsIn(patterns.value),
    events: [...chosen, 'gap'],
    ...(Authorization === '' ? {} : { headers: { Authorization } }),
  };
}

export function WebhookFields({
  written: { url, patterns, events },
  sessions,
}: {
  readonly written: Written;
  readonly sessions: LiveSessions;
}) {
  const toggle = (name: string) => {
    const next = new Set(events.value);
    if (!next.delete(name)) next.add(name);
    events.value = next;
  };
  return (
    <>
      <TextField label="URL" type="url" value={url} required placeholder="https://app.example.com/chat-events">
        https, on a public address. Other hosts have to be in CHAT_WEB_WEBHOOK_HOSTS.
      </TextField>
      <PatternsField value={patterns} sessions={sessions} />
      <fieldset>
        <legend>Events</legend>
        {CHOICES.map((name) => (
          <label key={name} class="option">
            <input type="checkbox" checked={events.value.has(name)} onChange={() => toggle(name)} />
            <span>
              <strong>{name}</strong> <span class="soft">{EVENT_TEXTS[name]}</span>
            </span>
          </label>
        ))}
        <p class="soft">Gaps are always delivered: they report missing events.</p>
      </fieldset>
    </>
  );
}
