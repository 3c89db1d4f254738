import { closeDialogs } from './dialogs.ts';
import * as functions from './index.ts';
import { type Answer, answerTo } from './refusal.ts';

const DIALOG_INTERVAL_MS = 1_000;
/** A dialog that is open for longer is reported. */
const DIALOG_REPORT_MS = 3_000;

/** The entry of the page program: runs in each document before the page's own scripts. */
closeDialogs(DIALOG_INTERVAL_MS, DIALOG_REPORT_MS);

const program: Readonly<Record<string, (...args: never[]) => unknown>> = { ...functions };

/** Runs a function of the program. */
export function call(name: keyof typeof functions, ...args: never[]): Promise<Answer> {
  const run = program[name];
  if (!run) throw new Error(`the page program has no function ${name}`);
  return answerTo(() => run(...args));
}
