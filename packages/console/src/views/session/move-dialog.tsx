import { useSignal } from '@preact/signals';
import { connection } from '../../connection.ts';
import { Failure, useLoaded } from '../../parts/action.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';

interface MoveDialogProps {
  readonly id: string;
  /** The name of its host. */
  readonly host: string;
  onDone(): void;
  onClose(): void;
}

export function MoveDialog({ id, host, onDone, onClose }: MoveDialogProps) {
  const { value: loaded, failure } = useLoaded('listHosts', {});
  const to = useSignal('');
  const others = (loaded.value?.hosts ?? []).filter(({ name, state }) => name !== host && state === 'live');
  const move = async () => {
    const { state, message } = await connection().client.moveSession(to.value ? { id, to: to.value } : { id });
    if (state === 'cancelling' || state === 'cancelled') throw new Error(`The session was not moved: ${message}.`);
    onDone();
  };
  return (
    <FormDialog title={`Move ${id}?`} verb="Move" work={move} onClose={onClose}>
      <p>It stays linked. Its calls wait for some seconds, and its streams reconnect.</p>
      <label>
        To{' '}
        <select value={to.value} onChange={({ currentTarget }) => (to.value = currentTarget.value)}>
          <option value="">the host with the most room</option>
          {others.map(({ name, used, capacity }) => (
            <option key={name} value={name}>
              {name} ({used} of {capacity})
            </option>
          ))}
        </select>
      </label>
      <Failure error={failure.value} />
    </FormDialog>
  );
}
