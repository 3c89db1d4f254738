import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** A question or a form before the page. Escape, and `onClose`, end it. */
export function Dialog({
  title,
  children,
  onClose,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  onClose(): void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOver = useRef(false);
  const titleId = useId();
  useEffect(() => {
    const { current } = dialog;
    const { activeElement: before } = document;
    current?.showModal();
    return () => {
      isOver.current = true;
      current?.close();
      if (before instanceof HTMLElement) before.focus(); // A dialog that is removed does not give the focus back.
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onClose={() => {
        if (!isOver.current) onClose();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}
