import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

const SAID_FOR_MS = 5_000;

interface CopyProps {
  readonly text: string;
  readonly look: 'primary' | 'quiet';
  /** Its label, if `Copy` is not enough. */
  readonly name?: string;
  /** The id of the element that describes it. */
  readonly describedBy?: string;
}

export function CopyButton({ text, look, name, describedBy }: CopyProps) {
  const result = useSignal('');
  const onClick = async () => {
    result.value = (await copy(text)) ? 'Copied' : 'Your browser does not allow it: select the text and copy it.';
    setTimeout(() => {
      result.value = '';
    }, SAID_FOR_MS);
  };
  return (
    <>
      <button
        type="button"
        class={look}
        aria-label={name}
        aria-describedby={describedBy}
        onClick={() => void onClick()}
      >
        Copy
      </button>
      <span role="status" class="soft">
        {result.value}
      </span>
    </>
  );
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // Browsers have no clipboard for pages over plain HTTP, except those of this machine.
  }
}

/** A text to read and copy verbatim, such as a command. `title` says what it is. */
export function Code({ title, text }: { readonly title: string; readonly text: string }) {
  const id = useId();
  return (
    <figure class="code-block">
      <figcaption>
        <span id={id}>{title}</span>
        <CopyButton text={text} name={`Copy: ${title}`} look="quiet" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard. */}
      <section tabIndex={0} aria-labelledby={id}>
        <pre>{text}</pre>
      </section>
    </figure>
  );
}
