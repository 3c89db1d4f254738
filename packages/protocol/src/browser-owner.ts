/** A process, identified by its id and its start time in clock ticks since boot: ids are reused. */
export interface ProcessId {
  readonly pid: number;
  readonly startedAt: number;
}

const SWITCH = '--chat-web-owner=';
const PROFILE_FLAG = '--logfile=';
/** Field 22 of /proc/<pid>/stat, counted from the state, which is field 3. */
const START_TIME = 22 - 3;

/** The fields of /proc/<pid>/stat from the state on; the name before it may contain anything. */
export function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

export function startOf(fields: readonly string[]): number {
  return Number(fields[START_TIME]);
}

/** The argument that names the worker of a browser; Chromium ignores unknown arguments. */
export function ownerArgument({ pid, startedAt }: ProcessId): string {
  return `${SWITCH}${pid}:${startedAt}`;
}

/**
 * A flag of the page's engine that names the profile. A headless shell passes it on to its renderers, but not
 * `--user-data-dir`; it names a log that is not written.
 */
export function profileFlag(profileDir: string): string {
  return `${PROFILE_FLAG}${encodeURIComponent(profileDir)}`;
}

/** The profile that `profileFlag` names in a command line. */
export function profileIn(commandLine: string): string | undefined {
  const [, written] = new RegExp(`${PROFILE_FLAG}([^\\s\\0]+)`).exec(commandLine) ?? [];
  try {
    return written && decodeURIComponent(written);
  } catch {
    return undefined; // Not one of ours.
  }
}

/** The worker that a command line names as its owner. */
export function ownerIn(args: readonly string[]): ProcessId | undefined {
  const written = args.find((arg) => arg.startsWith(SWITCH))?.slice(SWITCH.length);
  const match = /^(\d+):(\d+)$/.exec(written ?? '');
  return match ? { pid: Number(match[1]), startedAt: Number(match[2]) } : undefined;
}
