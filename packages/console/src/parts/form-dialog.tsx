import type { ComponentChildren } from 'preact';
import { Failure, useAction } from './action.tsx';
import { Dialog } from './dialog.tsx';

interface FormDialogProps {
  readonly title: string;
  /** What the button says that does it. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  /** False while the button cannot be pressed. */
  readonly isReady?: boolean;
  /** The fields, or what follows. */
  readonly children: ComponentChildren;
  /** Does it; the dialog stays open, and says why, if it rejects. */
  work(): Promise<unknown>;
  /** It is done, or is not wanted. */
  onClose(): void;
}

/** Asks for what is needed, or whether it is wanted, before something is done. */
export function FormDialog({
  title,
  verb,
  isDangerous = false,
  isReady = true,
  children,
  work,
  onClose,
}: FormDialogProps) {
  const action = useAction(work);
  return (
    <Dialog title={title} onClose={action.isBusy.value ? undefined : onClose}>
      <form
        onSubmit={async (event) => {
          event.preventDefault();
          if (await action.run()) onClose();
        }}
      >
        {children}
        <Failure error={action.failure.value} />
        <div class="buttons">
          <button
            type="submit"
            class={isDangerous ? 'danger' : 'primary'}
            disabled={!isReady}
            aria-disabled={action.isBusy.value}
          >
            {verb}
          </button>
          <button
            type="button"
            aria-disabled={action.isBusy.value}
            onClick={() => {
              if (!action.isBusy.value) onClose(); // It is under way, and says how it ended.
            }}
          >
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
