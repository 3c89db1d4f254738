/** A process, told apart from a later one of the same number by when it started: clock ticks since boot. */
export interface ProcessId {
  readonly pid: number;
  readonly startedAt: number;
}

const SWITCH = '--chat-web-owner=';
/** Field 22 of /proc/<pid>/stat, counted from the state, which is field 3. */
const START_TIME = 22 - 3;

/** The fields of a /proc/<pid>/stat from the state on; before it stands a name that may contain anything. */
export function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** When the process of these fields started. */
export function startOf(fields: readonly string[]): number {
  return Number(fields[START_TIME]);
}

/** The argument by which a browser says which worker it belongs to; Chromium passes over what it does not know. */
export function ownerArgument({ pid, startedAt }: ProcessId): string {
  return `${SWITCH}${pid}:${startedAt}`;
}

/** The worker that a command line names as its owner. */
export function ownerIn(args: readonly string[]): ProcessId | undefined {
  const written = args.find((arg) => arg.startsWith(SWITCH))?.slice(SWITCH.length);
  const match = /^(\d+):(\d+)$/.exec(written ?? '');
  return match ? { pid: Number(match[1]), startedAt: Number(match[2]) } : undefined;
}
