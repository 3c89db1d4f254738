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
      // Removing a dialog does not restore the focus, and the element that had it may be gone.
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
        else dialog.current?.showModal(); // Browsers close the dialog on a second Escape.
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}
