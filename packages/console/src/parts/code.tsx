import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

const SAID_FOR_MS = 2_000;

/** A text to be read and copied as it is, such as a command. `title` says what it is. */
export function Code({ title, text }: { readonly title: string; readonly text: string }) {
  const said = useSignal('');
  const id = useId();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      said.value = 'Copied';
    } catch {
      said.value = 'The browser refuses: select and copy it';
    }
    setTimeout(() => {
      said.value = '';
    }, SAID_FOR_MS);
  };
  return (
    <figure class="code-block">
      <figcaption>
        <span id={id}>{title}</span>
        <span role="status" class="soft">
          {said.value}
        </span>
        {/* Browsers have a clipboard for pages over HTTPS and of this machine. */}
        {'clipboard' in navigator && (
          <button type="button" class="quiet" aria-label={`Copy: ${title}`} onClick={() => void copy()}>
            Copy
          </button>
        )}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard. */}
      <section tabIndex={0} aria-labelledby={id}>
        <pre>{text}</pre>
      </section>
    </figure>
  );
}
