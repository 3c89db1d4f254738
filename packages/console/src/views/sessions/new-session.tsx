import { sessionId } from '@chat-web/protocol';
import { useSignal } from '@preact/signals';
import * as v from 'valibot';
import { connection } from '../../connection.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { goTo } from '../../route.ts';

/** Refusals arrive sooner. */
const SHOW_AFTER_MS = 1_500;

const delayed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A button that asks for an id, starts the session with this id, and shows it. */
export function NewSession() {
  const isOpen = useSignal(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => (isOpen.value = true)}>
        New session
      </button>
      {isOpen.value && <NewSessionDialog onClose={() => (isOpen.value = false)} />}
    </>
  );
}

function NewSessionDialog({ onClose }: { onClose(): void }) {
  const id = useSignal('');
  const start = async () => {
    const wanted = v.parse(sessionId, id.value.trim());
    // It answers once there is a QR, or with the reason why it does not start; the view of the session shows the rest.
    const started = connection().client.startSession({ id: wanted });
    await Promise.race([started, delayed(SHOW_AFTER_MS)]);
    started.catch(() => {});
    goTo('sessions', wanted);
  };
  return (
    <FormDialog title="New session" verb="Start" work={start} onClose={onClose}>
      <TextField label="Id" value={id} required maxLength={64} pattern="[A-Za-z0-9_\-]{1,64}">
        1 to 64 letters, digits, _ and -. It names the account in the API, such as shop-1.
      </TextField>
    </FormDialog>
  );
}
