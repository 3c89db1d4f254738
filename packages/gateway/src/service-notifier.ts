import { execFile } from 'node:child_process';
import { errorText } from '@chat-web/protocol';
import type { Log } from './log.ts';

const PING_EVERY_MS = 10_000;
const LOOK_EVERY_MS = 2_000;
const SEND_TIMEOUT_MS = 5_000;

/** The service manager that started this process, where one did that wants to be told how it fares. */
export interface ServiceManager {
  readonly socket: string;
  /** A main process from which nothing is heard for so long is taken for dead. Absent: nobody watches. */
  readonly watchdogMs: number | undefined;
  /** Where `systemd-notify` is looked for. */
  readonly path: string | undefined;
}

/** What the service manager is told; asked again and again. */
export interface ServiceState {
  /** One line for `systemctl status`. */
  statusText(): string;
  /** False: a restart would help. The watchdog is left to do it. */
  isHealthy(): boolean;
}

/** Finds the service manager of process `pid` in its environment; nothing where the socket is not set. */
export function serviceManagerOf(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
): ServiceManager | undefined {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec = '', WATCHDOG_PID: watched, PATH: path } = env;
  if (!socket) return undefined;
  const isWatched = /^\d{1,15}$/.test(usec) && Number(usec) > 0 && (!watched || watched === String(pid));
  return { socket, watchdogMs: isWatched ? Number(usec) / 1_000 : undefined, path };
}

/**
 * Tells the service manager that the gateway is up, how it fares, that it lives, and that it stops. The messages are
 * sent by `systemd-notify`, for Node has no datagram sockets of the local kind. Its --no-block is not for us: a sender
 * that is gone when the manager reads its message cannot be traced to the unit, and the message is dropped. Nobody
 * here waits for the sender, so that the waiting costs nothing.
 */
export class ServiceNotifier {
  readonly #manager: ServiceManager | undefined;
  readonly #state: ServiceState;
  readonly #log: Log;
  readonly #sending = new Set<Promise<void>>();
  readonly #timers: NodeJS.Timeout[] = [];
  #toldReady = false;
  #toldStatus: string | undefined;
  #wasHealthy = true;
  #hasWarned = false;

  constructor(manager: ServiceManager | undefined, state: ServiceState, log: Log) {
    this.#manager = manager;
    this.#state = state;
    this.#log = log;
  }

  /** To be called once the gateway listens. */
  start(): void {
    if (!this.#manager) return;
    const { watchdogMs } = this.#manager;
    this.#look();
    this.#timers.push(setInterval(() => this.#look(), LOOK_EVERY_MS));
    if (watchdogMs) this.#timers.push(setInterval(() => this.#ping(), Math.min(PING_EVERY_MS, watchdogMs / 3)));
    for (const timer of this.#timers) timer.unref();
  }

  /** Says that the gateway stops. Resolves when no sender is left; never rejects. */
  async stop(): Promise<void> {
    this.#clear();
    // Whoever stops takes less than the unit's time to stop: more need not be asked for.
    this.#send(['STOPPING=1', 'STATUS=stopping']);
    await Promise.all(this.#sending);
  }

  #look(): void {
    if (this.#sending.size > 0) return; // The next look tells what is true then.
    const { status } = this.#read();
    if (!this.#toldReady || status !== this.#toldStatus) this.#tell([], status);
  }

  #ping(): void {
    const { status, isHealthy } = this.#read();
    if (isHealthy) this.#tell(['WATCHDOG=1'], status);
    if (isHealthy !== this.#wasHealthy) {
      if (isHealthy) this.#log.info('the gateway is sound again: the watchdog is pinged');
      else this.#log.error('the gateway is not sound: the watchdog is not pinged until it is');
    }
    this.#wasHealthy = isHealthy;
  }

  #read(): { readonly status: string; readonly isHealthy: boolean } {
    try {
      // A line break would begin a message of its own, and no argument may hold a NUL.
      const status = this.#state.statusText().replace(/[\r\n\0]+/g, ' ');
      return { status, isHealthy: this.#state.isHealthy() };
    } catch (error) {
      return { status: errorText(error).replace(/[\r\n\0]+/g, ' '), isHealthy: false };
    }
  }

  #tell(assignments: readonly string[], status: string): void {
    // Without READY the manager would end us when its patience does: said until a sender has got through.
    const ready = this.#toldReady ? [] : ['READY=1'];
    this.#send([...ready, ...assignments, `STATUS=${status}`], status);
  }

  #send(assignments: readonly string[], status?: string): void {
    const sent = this.#spawn(assignments).then((problem) => {
      this.#sending.delete(sent);
      if (problem) {
        this.#warn(problem);
        return;
      }
      this.#toldReady = true;
      this.#toldStatus = status;
      this.#hasWarned = false;
    });
    this.#sending.add(sent);
  }

  /** Runs one sender to its end, or to the end of our patience. Resolves with what went wrong. */
  #spawn(assignments: readonly string[]): Promise<Error | undefined> {
    return new Promise((resolve) => {
      if (!this.#manager) {
        resolve(undefined);
        return;
      }
      const { socket, path } = this.#manager;
      const env = { NOTIFY_SOCKET: socket, ...(path === undefined ? {} : { PATH: path }) };
      const options = { env, timeout: SEND_TIMEOUT_MS, killSignal: 'SIGKILL' } as const;
      try {
        execFile('systemd-notify', assignments, options, (error) => resolve(error ?? undefined));
      } catch (error) {
        resolve(error instanceof Error ? error : new Error(String(error))); // No memory, no process ids.
      }
    });
  }

  #warn(problem: Error): void {
    const isMissing = 'code' in problem && problem.code === 'ENOENT';
    if (isMissing) this.#clear();
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    if (isMissing) this.#log.warn('systemd-notify is not on the PATH: the service manager is told nothing');
    else this.#log.warn({ err: problem }, 'the service manager could not be told how the gateway fares');
  }

  #clear(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
  }
}
