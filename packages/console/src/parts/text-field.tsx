import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly value: Signal<string>;
  readonly type?: 'text' | 'url' | 'number' | 'datetime-local';
  readonly required?: boolean;
  readonly maxLength?: number;
  /** A regular expression for the whole value. */
  readonly pattern?: string;
  readonly placeholder?: string | undefined;
  /** The earliest time, or the least number. */
  readonly min?: string;
  readonly max?: string;
  readonly children?: ComponentChildren;
}

export function TextField({ label, value, type = 'text', children, ...rest }: FieldProps) {
  const hintId = useId();
  return (
    <div class="field">
      <label>
        {label}
        <input
          {...rest}
          type={type as 'text'} // The types of elements accept only one of them.
          autocomplete="off"
          spellcheck={false}
          aria-describedby={children ? hintId : undefined}
          value={value}
          onInput={(event) => {
            value.value = event.currentTarget.value;
          }}
        />
      </label>
      {children && (
        <p class="soft" id={hintId}>
          {children}
        </p>
      )}
    </div>
  );
}
