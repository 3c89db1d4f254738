import { useId } from 'preact/hooks';
import type { Field } from './fields.ts';

interface InputProps {
  readonly field: Field;
  readonly value: string;
  readonly placeholder: string;
  readonly isDisabled?: boolean;
  onChange(value: string): void;
}

/** The input for a field, with the requirements of its schema. */
export function FieldInput({ field, value, placeholder, isDisabled = false, onChange }: InputProps) {
  const { name, kind, isRequired, options, hint } = field;
  const [id, hintId] = [useId(), useId()];
  const onInput = (event: { readonly currentTarget: { readonly value: string } }) =>
    onChange(event.currentTarget.value);
  const common = { id, disabled: isDisabled, 'aria-describedby': hintId };
  const typed = { ...common, value, placeholder, spellcheck: false, onInput };
  const choices = kind === 'flag' ? ['false', 'true'] : options;
  // Without a choice, the first one is sent.
  const chosen = isRequired && !choices.includes(value) ? choices[0] : value;
  const hints = [kind === 'lines' && 'one per line', kind === 'json' && 'as JSON', hint].filter(Boolean);
  return (
    <div>
      <label for={id}>
        {name} {!isRequired && <span class="soft">(optional)</span>}
      </label>
      {kind === 'choice' || kind === 'flag' ? (
        <select {...common} value={chosen ?? ''} onChange={onInput}>
          {!isRequired && <option value="">not given</option>}
          {choices.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : kind === 'long' || kind === 'lines' || kind === 'json' ? (
        <textarea {...typed} rows={kind === 'json' ? 2 : 3} />
      ) : (
        <input {...typed} autocomplete="off" inputMode={kind === 'number' ? 'decimal' : 'text'} />
      )}
      <small id={hintId} class="soft">
        {hints.join('; ')}
      </small>
    </div>
  );
}
