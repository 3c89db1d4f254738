import type { ComponentChildren } from 'preact';
import { Failure, useAction } from './action.tsx';
import { Dialog } from './dialog.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly verb: string;
  readonly isDangerous?: boolean;
  readonly isReady?: boolean;
  /** The fields, or a description of the consequences. */
  readonly children: ComponentChildren;
  /** The action; if it rejects, the dialog stays open and shows why. */
  work(): Promise<unknown>;
  /** It is done, or was cancelled. */
  onClose(): void;
}

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
              if (!action.isBusy.value) onClose(); // It is running, and will show its outcome.
            }}
          >
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
