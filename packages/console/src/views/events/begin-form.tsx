import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { BEGINS, type Begin, writtenPosition } from './begin.ts';

const OTHER = 'After an event or a time …';

export function BeginForm({ begin, onChange }: { readonly begin: Begin; onChange(begin: Begin): void }) {
  const isOther = useSignal(begin.is === 'after');
  const written = useSignal(begin.is === 'after' ? begin.position : '');
  const problem = useSignal('');
  // The details of an event can set it, too.
  useEffect(() => {
    isOther.value = begin.is === 'after';
    if (begin.is === 'after') written.value = begin.position;
  }, [begin, isOther, written]);
  const chosen = Object.entries(BEGINS).find(([, one]) => one === begin)?.[0] ?? OTHER;
  const position = writtenPosition(written.value);
  return (
    <form
      class="begin"
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
            const begins: Readonly<Record<string, Begin>> = BEGINS;
            const one = begins[value];
            isOther.value = one === undefined;
            if (one) onChange(one);
          }}
        >
          {[...Object.keys(BEGINS), OTHER].map((words) => (
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
