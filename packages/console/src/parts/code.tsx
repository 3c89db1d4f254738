import { useId } from 'preact/hooks';
import { CopyButton } from './copy-button.tsx';

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
