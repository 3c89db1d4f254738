/** A line of the gateway's log. Further fields depend on the message. */
export interface LogLine {
  /** ISO 8601. */
  readonly time: string;
  readonly msg: string;
  readonly session?: string;
  readonly status?: string;
  readonly reason?: string;
}

/** The lines of a gateway's log that are log entries. */
export function logLines(log: readonly string[]): LogLine[] {
  return log.flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return []; // Other output of the gateway or of its children.
    }
  });
}

/** When each worker of a session was started, in milliseconds since 1970. */
export function startsOf(id: string, log: readonly string[]): number[] {
  return logLines(log)
    .filter(({ msg, session }) => msg === 'worker started' && session === id)
    .map(({ time }) => Date.parse(time));
}

/** The statuses that a session has taken, in order. */
export function statusesOf(id: string, log: readonly string[]): string[] {
  return logLines(log)
    .filter(({ msg, session }) => msg === 'session status changed' && session === id)
    .map(({ status = '' }) => status);
}

/** Why a session was restarted automatically, in order. */
export function restartReasonsOf(id: string, log: readonly string[]): string[] {
  return logLines(log)
    .filter(({ msg, session }) => msg === 'session restarting' && session === id)
    .map(({ reason = '' }) => reason);
}
