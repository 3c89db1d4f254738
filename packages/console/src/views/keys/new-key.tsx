import { type KeyScope, type KeyView, keyScope } from '@chat-web/protocol';
import { useSignal } from '@preact/signals';
import { connection } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { PatternsField, patternsIn } from '../../parts/patterns-field.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { fullTime } from '../../parts/words.ts';
import { SCOPE_TEXTS } from './scope-texts.ts';

interface NewKeyProps {
  readonly sessions: LiveSessions;
  onMade(key: KeyView & { readonly key: string }): void;
}

/** A button that asks what a key is for, and makes it. */
export function NewKey(props: NewKeyProps) {
  const isOpen = useSignal(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => (isOpen.value = true)}>
        New key
      </button>
      {isOpen.value && <NewKeyDialog {...props} onClose={() => (isOpen.value = false)} />}
    </>
  );
}

function NewKeyDialog({ sessions, onMade, onClose }: NewKeyProps & { onClose(): void }) {
  const name = useSignal('');
  const patterns = useSignal('');
  const scope = useSignal<KeyScope>('read');
  const expiry = useSignal('');
  const make = async () => {
    const expiresAt = expiry.value === '' ? undefined : new Date(expiry.value).toISOString();
    const wanted = { name: name.value.trim(), sessions: patternsIn(patterns.value), scope: scope.value };
    const key = await connection().client.createKey({ ...wanted, ...(expiresAt ? { expiresAt } : {}) });
    onMade(key);
  };
  return (
    <FormDialog title="New key" verb="Make the key" work={make} onClose={onClose}>
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
      <TextField label="Expires (optional)" type="datetime-local" value={expiry} min={localMinute(new Date())}>
        {expiry.value === ''
          ? 'In your time zone. Without it, the key is valid until it is revoked.'
          : `It is refused from ${fullTime(Date.parse(expiry.value))} on.`}
      </TextField>
    </FormDialog>
  );
}

/** A time as a field for local times has it. */
function localMinute(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
