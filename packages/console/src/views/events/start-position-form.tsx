import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { START_POSITIONS, type StartPosition, writtenPosition } from './start-position.ts';

const OTHER = 'After an event or a time …';

export function StartPositionForm({
  startAt,
  onChange,
}: {
  readonly startAt: StartPosition;
  onChange(startAt: StartPosition): void;
}) {
  const isOther = useSignal(startAt.is === 'after');
  const written = useSignal(startAt.is === 'after' ? startAt.position : '');
  const problem = useSignal('');
  // The details of an event can set it, too.
  useEffect(() => {
    isOther.value = startAt.is === 'after';
    if (startAt.is === 'after') written.value = startAt.position;
  }, [startAt, isOther, written]);
  const chosen = Object.entries(START_POSITIONS).find(([, one]) => one === startAt)?.[0] ?? OTHER;
  const position = writtenPosition(written.value);
  return (
    <form
      class="start-position"
      onSubmit={(event) => {
        event.preventDefault();
        problem.value = position === undefined ? 'This is neither an event id nor a time.' : '';
        if (position !== undefined) onChange({ is: 'after', position });
      }}
    >
      <label>
        Begin
        <select
          value={isOther.value ? OTHER : chosen}
          onChange={({ currentTarget: { value } }) => {
            const positions: Readonly<Record<string, StartPosition>> = START_POSITIONS;
            const one = positions[value];
            isOther.value = one === undefined;
            if (one) onChange(one);
          }}
        >
          {[...Object.keys(START_POSITIONS), OTHER].map((words) => (
            <option key={words}>{words}</option>
          ))}
        </select>
      </label>
      {isOther.value && (
        <>
          <label>
            Id of an event, or a time
            <input
              required
              autocomplete="off"
              spellcheck={false}
              placeholder="2026-11-23 08:00"
              value={written}
              onInput={(event) => {
                written.value = event.currentTarget.value;
              }}
            />
          </label>
          <button type="submit">Begin there</button>
        </>
      )}
      <span role="status">{problem.value}</span>
    </form>
  );
}
