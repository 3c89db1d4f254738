import { useState } from 'preact/hooks';
import { Refusal } from './api.ts';

/** An action of the user on the page; one runs at a time. */
interface Action {
  /** For `aria-disabled`: a button that is disabled would lose the focus. */
  readonly isBusy: boolean;
  /** Why the last one failed. */
  readonly problem: string | undefined;
  /** Runs it; resolves with whether it succeeded. A second one meanwhile is ignored. */
  run(act: () => Promise<void>): Promise<boolean>;
}

/** The state of the action of a form or a button. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const run = async (act: () => Promise<void>) => {
    if (isBusy) return false;
    setBusy(true);
    setProblem(undefined);
    try {
      await act();
      return true;
    } catch (error) {
      const sentence = 'The simulator does not answer. Try again when it does.';
      setProblem(error instanceof Refusal ? error.message : sentence);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, run };
}
