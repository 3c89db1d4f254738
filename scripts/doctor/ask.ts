import { createInterface } from 'node:readline/promises';
import type { DoctorOptions } from './arguments.ts';
import { shortenNumbers } from './report.ts';
import { Interrupted } from './wait.ts';

export interface Consent {
  readonly restart: boolean;
  readonly send: boolean;
  readonly answer: boolean;
  readonly status: boolean;
  readonly group: boolean;
  /** An operator at the terminal can send a picture from a phone. */
  readonly isSomebodyThere: boolean;
}

export const NOT_CONFIRMED = 'not confirmed: answer y at a terminal, or pass --yes';

const ANSWER_TIMEOUT_MS = 300_000;

type Question = readonly [name: 'restart' | 'send' | 'answer' | 'status' | 'group', isRequested: boolean, text: string];

/** Asks for confirmation of everything that others see or that interrupts the account, before doing any of it. */
export async function askFor(options: DoctorOptions, signal: AbortSignal): Promise<Consent> {
  const { session, to, peer, group, status, yes } = options;
  const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true;
  const questions: Question[] = [
    ['restart', true, `Restart session ${session}? The account is offline for some seconds.`],
    [
      'send',
      to !== undefined,
      `Send six messages to +${to}, react to one, edit it and delete it? The recipient sees them.`,
    ],
    [
      'answer',
      peer !== undefined,
      `Let session ${peer} send six messages to session ${session}, and ${session} two in return?`,
    ],
    ['status', status, 'Post a text and a picture to the status feed, and delete them? Contacts may see them.'],
    ['group', group !== undefined, `Send a text to group ${group}, and delete it? Its members see it.`],
  ];
  const said = { restart: false, send: false, answer: false, status: false, group: false };
  for (const [name, isRequested, text] of questions) {
    said[name] = isRequested && (yes || (isTerminal && (await isConfirmed(text, signal))));
  }
  return { ...said, isSomebodyThere: isTerminal && !yes };
}

/** Asks the person at the terminal to do something. Never on standard output, which is for findings. */
export function tellPerson(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** No answer counts as no. */
async function isConfirmed(text: string, signal: AbortSignal): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // While the terminal is read, it receives Ctrl+C.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const ends = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
    return /^y(es)?$/i.test((await terminal.question(`${shortenNumbers(text)} [y/N] `, { signal: ends })).trim());
  } catch (error) {
    if (signal.aborted) throw new Interrupted('interrupted', { cause: error });
    return false;
  } finally {
    terminal.close();
  }
}
