import { type KeyScope, type KeyView, keyScope } from '@chat-web/protocol';
import { useSignal } from '@preact/signals';
import { connection } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { fullTime, patternsIn } from '../../parts/format.ts';
import { PatternsField } from '../../parts/patterns-field.tsx';
import { TextField } from '../../parts/text-field.tsx';

const SCOPE_TEXTS: Readonly<Record<KeyScope, string>> = {
  read: 'Reads sessions, events, chats and messages. No QRs, codes, sends or changes.',
  send: 'Also sends messages, and changes groups and the status feed.',
  manage: 'Also starts, stops, deletes and moves sessions, links them by QR or code, and creates webhooks.',
};

interface NewKeyProps {
  readonly sessions: LiveSessions;
  /** The key to replace: its values are filled in. */
  readonly like?: KeyView | undefined;
  onCreated(key: KeyView & { readonly key: string }): void;
  onClose(): void;
}

export function NewKey({ sessions, like, onCreated, onClose }: NewKeyProps) {
  const name = useSignal(like?.name ?? '');
  const patterns = useSignal(like?.sessions.join(' ') ?? '');
  const scope = useSignal<KeyScope>(like?.scope ?? 'read');
  const recipients = useSignal(like?.recipients?.join(' ') ?? '');
  const sendsPerHour = useSignal(like?.sendsPerHour?.toString() ?? '');
  const expiry = useSignal('');
  const create = async () => {
    const expiresAt = expiry.value === '' ? undefined : new Date(expiry.value).toISOString();
    const isLimited = scope.value === 'send';
    const key = await connection().client.createKey({
      name: name.value.trim(),
      sessions: patternsIn(patterns.value),
      scope: scope.value,
      expiresAt,
      maxSessions: like?.maxSessions,
      recipients: isLimited && recipients.value.trim() !== '' ? patternsIn(recipients.value) : undefined,
      sendsPerHour: isLimited && sendsPerHour.value !== '' ? Number(sendsPerHour.value) : undefined,
    });
    onCreated(key);
  };
  return (
    <FormDialog title={like ? `Rotate ${like.name}` : 'New key'} verb="Create key" work={create} onClose={onClose}>
      {like && (
        <p>
          Two keys for a while: create a new one, give it to the application, and revoke {like.id} once the application
          uses the new one. The webhooks of {like.id} end with it, unless the new key changes them first.
        </p>
      )}
      <TextField label="Name" value={name} required maxLength={100} placeholder="The shop">
        The application that it is for.
      </TextField>
      <PatternsField value={patterns} sessions={sessions} />
      <fieldset>
        <legend>Scope</legend>
        {keyScope.options.map((option) => (
          <label key={option} class="option">
            <input
              type="radio"
              name="scope"
              checked={scope.value === option}
              onChange={() => {
                scope.value = option;
              }}
            />
            <span>
              <strong>{option}</strong> <span class="soft">{SCOPE_TEXTS[option]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {scope.value === 'send' && (
        <>
          <TextField label="Recipients (optional)" value={recipients} placeholder="44* *@g.us">
            To whom it may write: numbers or full ids, with * for any digits. Without them, to anyone.
          </TextField>
          <TextField label="Sends an hour (optional)" type="number" value={sendsPerHour} min="1" max="10000">
            With each session. Without it, as many as the gateway allows.
          </TextField>
        </>
      )}
      <TextField label="Expires (optional)" type="datetime-local" value={expiry} min={localMinute(new Date())}>
        {expiry.value === ''
          ? 'In your time zone. Without it, the key is valid until it is revoked.'
          : `It is refused from ${fullTime(Date.parse(expiry.value))} on.`}
      </TextField>
    </FormDialog>
  );
}

/** A time in the format of a local time field. */
function localMinute(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
