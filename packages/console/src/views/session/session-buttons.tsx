import type { SessionView } from '@chat-web/host';
import { useSignal } from '@preact/signals';
import { connection, mayCall } from '../../connection.ts';
import { Failure, useAction } from '../../parts/action.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { goTo } from '../../route.ts';
import { MoveDialog } from './move-dialog.tsx';

const NOT_RUNNING: readonly string[] = ['stopped', 'failed', 'moved'];

interface ButtonsProps {
  readonly session: SessionView;
  onDone(): void;
}

export function SessionButtons({ session, onDone }: ButtonsProps) {
  const { id, status, host } = session;
  const openDialog = useSignal<'delete' | 'takeBack' | 'move' | undefined>(undefined);
  const chosen = useSignal<'startSession' | 'restartSession' | 'stopSession'>('startSession');
  const action = useAction(async () => {
    await connection().client[chosen.value]({ id });
    onDone();
  });
  if (!mayCall('startSession')) return null;
  const button = (label: string, name: typeof chosen.value, isPrimary = false) => (
    <button
      type="button"
      class={isPrimary ? 'primary' : ''}
      aria-disabled={action.isBusy.value}
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
        <button type="button" onClick={() => (openDialog.value = 'takeBack')}>
          Take back …
        </button>
      )}
      {isRunning && button('Restart', 'restartSession')}
      {isRunning && button('Stop', 'stopSession')}
      {host !== undefined && status !== 'moved' && mayCall('moveSession') && (
        <button type="button" onClick={() => (openDialog.value = 'move')}>
          Move …
        </button>
      )}
      <button type="button" class="danger" onClick={() => (openDialog.value = 'delete')}>
        Delete …
      </button>
      <span role="status">{action.isBusy.value ? 'Working …' : ''}</span>
      <Failure error={action.failure.value} />
      {openDialog.value === 'delete' && (
        <DeleteDialog session={session} onDone={onDone} onClose={() => (openDialog.value = undefined)} />
      )}
      {openDialog.value === 'move' && host !== undefined && (
        <MoveDialog id={id} host={host} onDone={onDone} onClose={() => (openDialog.value = undefined)} />
      )}
      {openDialog.value === 'takeBack' && (
        <FormDialog
          title={`Take ${id} back?`}
          verb="Take it back"
          isDangerous
          work={async () => {
            await connection().client.startSession({ id, takeBack: true });
            onDone();
          }}
          onClose={() => (openDialog.value = undefined)}
        >
          <p>
            Only if it does not run on another gateway. Two copies of one session break its link: the account would have
            to be linked again.
          </p>
        </FormDialog>
      )}
    </div>
  );
}

function DeleteDialog({ session: { id, status }, onDone, onClose }: ButtonsProps & { onClose(): void }) {
  const typed = useSignal('');
  const remove = async () => {
    await connection().client.deleteSession({ id });
    onDone();
    goTo('sessions');
  };
  return (
    <FormDialog
      title={`Delete ${id}?`}
      verb="Delete"
      isDangerous
      isReady={typed.value === id}
      work={remove}
      onClose={onClose}
    >
      <p>
        {status === 'moved'
          ? 'Its data here is removed. The session on the other gateway is not affected.'
          : 'Its link and its stored events are removed. To use the account again, link it again.'}
      </p>
      <TextField label={`Type ${id} to confirm`} value={typed} />
    </FormDialog>
  );
}
