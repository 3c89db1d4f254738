import { useState } from 'preact/hooks';
import { Refusal } from './api.ts';

/** Something that a person does on the page, one at a time. */
interface Action {
  /** For `aria-disabled`: a button that is disabled would lose the focus. */
  readonly isBusy: boolean;
  /** Why the last one failed. */
  readonly problem: string | undefined;
  /** Does it; resolves with whether it was done. A second one meanwhile is ignored. */
  run(act: () => Promise<void>): Promise<boolean>;
}

/** The state of what a form or a button does. */
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
