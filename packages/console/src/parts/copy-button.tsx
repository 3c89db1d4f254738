import { useSignal } from '@preact/signals';

const SAID_FOR_MS = 5_000;

interface CopyProps {
  readonly text: string;
  readonly look: 'primary' | 'quiet';
  /** Its label, if `Copy` is not enough. */
  readonly name?: string;
  /** The id of the element that describes it. */
  readonly describedBy?: string;
}

/** A button that copies a text, and reports whether that worked. */
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
