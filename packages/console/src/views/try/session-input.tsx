import type { SessionView } from '@chat-web/host';
import { isWorkerOperation, type OperationName } from '@chat-web/protocol';
import { hrefTo } from '../../route.ts';

interface SessionInputProps {
  readonly name: OperationName;
  readonly sessions: readonly SessionView[];
  readonly value: string;
  onChange(id: string): void;
}

/** Selects the session of a call: one that can answer it, or any for operations of the gateway itself. */
export function SessionInput({ name, sessions, value, onChange }: SessionInputProps) {
  if (!isWorkerOperation(name))
    return (
      <label>
        id <span class="soft">of the session</span>
        <input
          list="sessions-to-try"
          required
          autocomplete="off"
          spellcheck={false}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        <datalist id="sessions-to-try">
          {sessions.map(({ id }) => (
            <option key={id} value={id} />
          ))}
        </datalist>
      </label>
    );
  const wanted = name === 'requestPairingCode' ? 'qr' : 'ready';
  const ids = sessions.filter(({ status }) => status === wanted).map(({ id }) => id);
  const isOther = value !== '' && !ids.includes(value);
  return (
    <label>
      id <span class="soft">of the session</span>
      <select required value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{ids.length === 0 ? 'none is ready' : 'choose one'}</option>
        {isOther && <option value={value}>{value} (cannot answer this now)</option>}
        {ids.map((id) => (
          <option key={id}>{id}</option>
        ))}
      </select>
      {ids.length === 0 && (
        <small>
          {wanted === 'qr' ? 'No session is waiting to be linked. ' : 'This call needs a session that is ready. '}
          <a href={hrefTo('sessions')}>To the sessions</a>
        </small>
      )}
    </label>
  );
}
