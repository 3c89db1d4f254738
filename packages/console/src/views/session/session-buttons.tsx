import type { SessionView } from '@chat-web/host';
import { useSignal } from '@preact/signals';
import { connection, mayCall } from '../../connection.ts';
import { Failure, useAction } from '../../parts/action.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { goTo } from '../../route.ts';

const NOT_RUNNING: readonly string[] = ['stopped', 'failed', 'moved'];

interface ButtonsProps {
  readonly session: SessionView;
  onDone(): void;
}

/** Starts, restarts, stops and deletes a session. */
export function SessionButtons({ session, onDone }: ButtonsProps) {
  const { id, status } = session;
  const asked = useSignal<'delete' | 'takeBack' | undefined>(undefined);
  const chosen = useSignal<'startSession' | 'restartSession' | 'stopSession'>('startSession');
  const action = useAction(async () => {
    await connection().client[chosen.value]({ id });
    onDone();
  });
  const takeBack = useAction(async () => {
    await connection().client.startSession({ id, takeBack: true });
    asked.value = undefined;
    onDone();
  });
  if (!mayCall('startSession')) return null;
  const button = (label: string, name: typeof chosen.value, isPrimary = false) => (
    <button
      type="button"
      class={isPrimary ? 'primary' : ''}
      disabled={action.isBusy.value}
      onClick={() => {
        chosen.value = name;
        void action.run();
      }}
    >
      {label}
    </button>
  );
  const isRunning = !NOT_RUNNING.includes(status);
  return (
    <div class="buttons">
      {(status === 'stopped' || status === 'failed') && button('Start', 'startSession', true)}
      {status === 'moved' && (
        <button type="button" onClick={() => (asked.value = 'takeBack')}>
          Take back …
        </button>
      )}
      {isRunning && button('Restart', 'restartSession')}
      {isRunning && button('Stop', 'stopSession')}
      <button type="button" class="danger" onClick={() => (asked.value = 'delete')}>
        Delete …
      </button>
      <span role="status">{action.isBusy.value ? 'Working …' : ''}</span>
      <Failure error={action.failure.value} />
      {asked.value === 'delete' && <DeleteDialog session={session} onClose={() => (asked.value = undefined)} />}
      {asked.value === 'takeBack' && (
        <Dialog title={`Take ${id} back?`} onClose={() => (asked.value = undefined)}>
          <p>
            Only if it does not run on another gateway. Two copies of one session break its link: the account would have
            to be linked again.
          </p>
          <Failure error={takeBack.failure.value} />
          <div class="buttons">
            <button type="button" class="danger" disabled={takeBack.isBusy.value} onClick={() => void takeBack.run()}>
              Take it back
            </button>
            <button type="button" onClick={() => (asked.value = undefined)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

function DeleteDialog({ session: { id, status }, onClose }: { readonly session: SessionView; onClose(): void }) {
  const typed = useSignal('');
  const action = useAction(async () => {
    await connection().client.deleteSession({ id });
    goTo('sessions');
  });
  const isSame = typed.value === id;
  return (
    <Dialog title={`Delete ${id}?`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isSame) void action.run();
        }}
      >
        <p>
          {status === 'moved'
            ? 'What is left of it here is removed. The session on the other gateway is not touched.'
            : 'Its link is removed, and with it what is kept of its events. To use the account again, it has to be linked anew.'}
        </p>
        <label>
          Type {id} to confirm
          <input
            autocomplete="off"
            spellcheck={false}
            value={typed}
            onInput={(event) => {
              typed.value = event.currentTarget.value;
            }}
          />
        </label>
        <Failure error={action.failure.value} />
        <div class="buttons">
          <button type="submit" class="danger" disabled={!isSame || action.isBusy.value}>
            Delete
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
