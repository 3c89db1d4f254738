import { sessionId } from '@chat-web/protocol';
import { useSignal } from '@preact/signals';
import * as v from 'valibot';
import { connection } from '../../connection.ts';
import { Failure, useAction } from '../../parts/action.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { goTo } from '../../route.ts';

/** A button that asks for an id, starts a session of that id, and shows it. */
export function NewSession() {
  const isOpen = useSignal(false);
  const id = useSignal('');
  const start = useAction(async () => {
    const wanted = v.parse(sessionId, id.value.trim());
    // It answers once there is a QR; the view of the session shows it by itself.
    void connection()
      .client.startSession({ id: wanted })
      .catch(() => {});
    isOpen.value = false;
    goTo('sessions', wanted);
  });
  return (
    <>
      <button
        type="button"
        class="primary"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        New session
      </button>
      {isOpen.value && (
        <Dialog title="New session" onClose={() => (isOpen.value = false)}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void start.run();
            }}
          >
            <label>
              Id
              <input
                required
                maxLength={64}
                pattern="[A-Za-z0-9_\-]{1,64}"
                title="1 to 64 letters, digits, _ and -"
                autocomplete="off"
                value={id}
                onInput={(event) => {
                  id.value = event.currentTarget.value;
                }}
              />
            </label>
            <p class="soft">1 to 64 letters, digits, _ and -. It names the account in the API, such as shop-1.</p>
            <Failure error={start.failure.value} />
            <div class="buttons">
              <button type="submit" class="primary">
                Start
              </button>
              <button type="button" onClick={() => (isOpen.value = false)}>
                Cancel
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
