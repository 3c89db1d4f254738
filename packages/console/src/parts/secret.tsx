import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { CopyButton } from './copy-button.tsx';

interface SecretProps {
  readonly title: string;
  readonly value: string;
  /** What it is for. */
  readonly children: ComponentChildren;
  /** It is stored elsewhere. */
  onDone(): void;
}

/** A secret that the gateway shows only once. It stays in view until somebody says that it is stored. */
export function Secret({ title, value, children, onDone }: SecretProps) {
  const titleId = useId();
  const noteId = useId();
  return (
    <section class="secret" aria-labelledby={titleId}>
      <h2 id={titleId}>{title}</h2>
      <p id={noteId}>
        <strong>It is not shown again.</strong> {children}
      </p>
      <code>{value}</code>
      <div class="buttons">
        <CopyButton text={value} look="primary" isFocused describedBy={noteId} />
        <button
          type="button"
          onClick={() => {
            document.getElementById('main')?.focus(); // This button is about to go, and the focus with it.
            onDone();
          }}
        >
          I have stored it
        </button>
      </div>
    </section>
  );
}
