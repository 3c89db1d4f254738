import { fstatSync, writeSync } from 'node:fs';
import { errorText } from '@chat-web/protocol';
import type { Log } from './log.ts';

const PING_EVERY_MS = 10_000;
const STATUS_EVERY_MS = 2_000;
const MORE_TIME_MS = 60_000;

/** The first file descriptor passed to a process, see sd_listen_fds(3). */
const FIRST_PASSED_FD = 3;

/** The service manager that started this process and expects notifications. */
export interface ServiceManager {
  /** Sends a message without blocking. Throws if that fails. Undefined: there is no connection to the manager. */
  readonly send: ((message: string) => void) | undefined;
  /** The manager restarts a process that sends no ping for this long. Undefined: no watchdog. */
  readonly watchdogMs: number | undefined;
}

/** The state reported to the service manager; polled. */
export interface ServiceState {
  /** One line for `systemctl status`. */
  statusText(): string;
  /** False: the watchdog should restart the gateway. */
  isHealthy(): boolean;
}

/** The service manager of process `pid`, from its environment; undefined if NOTIFY_SOCKET is not set. */
export function serviceManagerOf(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
): ServiceManager | undefined {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec = '', WATCHDOG_PID: watched } = env;
  if (!socket) return undefined;
  const isWatched = /^\d{1,15}$/.test(usec) && Number(usec) > 0 && (!watched || watched === String(pid));
  const fd = passedSocket(env, pid);
  return {
    send: fd === undefined ? undefined : (message) => void writeSync(fd, message),
    watchdogMs: isWatched ? Number(usec) / 1_000 : undefined,
  };
}

/** Before the gateway is ready: asks for another minute. Never throws: without it, the manager starts the gateway again. */
export function extendStart(manager: ServiceManager | undefined, status: string): void {
  try {
    manager?.send?.(`EXTEND_TIMEOUT_USEC=${MORE_TIME_MS * 1_000}\nSTATUS=${status}`);
  } catch {
    // Its buffer is full.
  }
}

/** The descriptor named "notify" among those passed to this process. */
function passedSocket(env: Readonly<Record<string, string | undefined>>, pid: number): number | undefined {
  const { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES = '' } = env;
  const index = LISTEN_FDNAMES.split(':').indexOf('notify');
  const isPassed = LISTEN_PID === String(pid) && index >= 0 && index < Number(LISTEN_FDS);
  if (!isPassed) return undefined;
  try {
    return fstatSync(FIRST_PASSED_FD + index).isSocket() ? FIRST_PASSED_FD + index : undefined;
  } catch {
    return undefined; // The descriptor is not open.
  }
}

/**
 * Notifies the service manager when the gateway is ready and stopping, with status texts and watchdog pings in between.
 * This process writes the messages itself, so that the manager need not accept them from others: Node cannot open a
 * unix datagram socket, but it can write to a connected one that is passed to it.
 */
export class ServiceNotifier {
  readonly #manager: ServiceManager | undefined;
  readonly #state: ServiceState;
  readonly #log: Log;
  readonly #timers: NodeJS.Timeout[] = [];
  #sentStatus: string | undefined;
  #wasHealthy = true;
  #hasWarned = false;

  constructor(manager: ServiceManager | undefined, state: ServiceState, log: Log) {
    this.#manager = manager;
    this.#state = state;
    this.#log = log;
  }

  /** Call once the gateway listens. */
  start(): void {
    if (!this.#manager) return;
    const { send, watchdogMs } = this.#manager;
    if (!send) {
      const hint =
        'NOTIFY_SOCKET is set, but not connected: start the gateway with deploy/systemd/with-notify-socket.pl';
      this.#log.warn({ hint }, 'service manager not notified');
      return;
    }
    this.#update();
    this.#timers.push(setInterval(() => this.#update(), STATUS_EVERY_MS));
    if (watchdogMs) this.#timers.push(setInterval(() => this.#ping(), Math.min(PING_EVERY_MS, watchdogMs / 3)));
    for (const timer of this.#timers) timer.unref();
  }

  stop(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    // No EXTEND_TIMEOUT_USEC: stopping takes less than the unit's TimeoutStopSec.
    this.#send(['STOPPING=1', 'STATUS=stopping']);
  }

  #update(): void {
    const { status } = this.#read();
    if (status !== this.#sentStatus) this.#notify([], status);
  }

  #ping(): void {
    const { status, isHealthy } = this.#read();
    if (isHealthy) this.#notify(['WATCHDOG=1'], status);
    if (isHealthy !== this.#wasHealthy) {
      if (isHealthy) this.#log.info('watchdog pings resumed');
      else this.#log.error('unhealthy, watchdog pings withheld');
    }
    this.#wasHealthy = isHealthy;
  }

  #read(): { readonly status: string; readonly isHealthy: boolean } {
    try {
      return { status: onOneLine(this.#state.statusText()), isHealthy: this.#state.isHealthy() };
    } catch (error) {
      return { status: onOneLine(errorText(error)), isHealthy: false };
    }
  }

  #notify(assignments: readonly string[], status: string): void {
    // Without READY the manager kills us after its start timeout, so it is repeated until it is sent.
    const ready = this.#sentStatus === undefined ? ['READY=1'] : [];
    if (!this.#send([...ready, ...assignments, `STATUS=${status}`])) return;
    this.#sentStatus = status;
    this.#hasWarned = false;
  }

  #send(assignments: readonly string[]): boolean {
    try {
      this.#manager?.send?.(assignments.join('\n'));
      return true;
    } catch (error) {
      if (!this.#hasWarned) this.#log.warn({ err: error }, 'service manager not notified');
      this.#hasWarned = true;
      return false;
    }
  }
}

/** A line break would start another assignment. */
function onOneLine(text: string): string {
  return text.replace(/[\r\n\0]+/g, ' ');
}
