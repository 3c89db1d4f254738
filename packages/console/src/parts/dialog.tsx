import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** A question or a form in front of the page. Escape closes it; without `onClose`, only its buttons do. */
export function Dialog({
  title,
  children,
  onClose,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose?: (() => void) | undefined;
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
      // A dialog that is removed does not give the focus back, and what had it may be gone.
      const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
      (isThere ? before : document.getElementById('main'))?.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        if (!onClose) event.preventDefault();
      }}
      onClose={() => {
        if (isOver.current) return;
        if (onClose) onClose();
        else dialog.current?.showModal(); // Browsers let a second Escape through.
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}
