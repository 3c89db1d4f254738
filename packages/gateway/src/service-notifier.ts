import { fstatSync, writeSync } from 'node:fs';
import { errorText } from '@chat-web/protocol';
import type { Log } from './log.ts';

const PING_EVERY_MS = 10_000;
const LOOK_EVERY_MS = 2_000;

/** The first file descriptor that is passed to a process, as sd_listen_fds(3) has it. */
const FIRST_PASSED_FD = 3;

/** The service manager that started this process, where one did that wants to be told how it fares. */
export interface ServiceManager {
  /** Hands one message over, without waiting. Throws where it cannot. Absent: there is no way to reach the manager. */
  readonly send: ((message: string) => void) | undefined;
  /** A main process from which nothing is heard for so long is taken for dead. Absent: nobody watches. */
  readonly watchdogMs: number | undefined;
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
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec = '', WATCHDOG_PID: watched } = env;
  if (!socket) return undefined;
  const isWatched = /^\d{1,15}$/.test(usec) && Number(usec) > 0 && (!watched || watched === String(pid));
  const fd = passedSocket(env, pid);
  return {
    send: fd === undefined ? undefined : (message) => void writeSync(fd, message),
    watchdogMs: isWatched ? Number(usec) / 1_000 : undefined,
  };
}

/** The descriptor named "notify", among those that were passed to this process and to no other. */
function passedSocket(env: Readonly<Record<string, string | undefined>>, pid: number): number | undefined {
  const { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES = '' } = env;
  const index = LISTEN_FDNAMES.split(':').indexOf('notify');
  const isPassed = LISTEN_PID === String(pid) && index >= 0 && index < Number(LISTEN_FDS);
  if (!isPassed) return undefined;
  try {
    return fstatSync(FIRST_PASSED_FD + index).isSocket() ? FIRST_PASSED_FD + index : undefined;
  } catch {
    return undefined; // It is not open.
  }
}

/**
 * Tells the service manager that the gateway is up, how it fares, that it lives, and that it stops. The messages are
 * written by this process itself, so that the manager need not listen to any other: Node cannot open a datagram
 * socket of the local kind, but it can write to one that was passed to it, connected.
 */
export class ServiceNotifier {
  readonly #manager: ServiceManager | undefined;
  readonly #state: ServiceState;
  readonly #log: Log;
  readonly #timers: NodeJS.Timeout[] = [];
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
    const { send, watchdogMs } = this.#manager;
    if (!send) {
      const hint = 'NOTIFY_SOCKET is set without a connection to it: start by deploy/systemd/with-notify-socket.pl';
      this.#log.warn({ hint }, 'service manager not notified');
      return;
    }
    this.#look();
    this.#timers.push(setInterval(() => this.#look(), LOOK_EVERY_MS));
    if (watchdogMs) this.#timers.push(setInterval(() => this.#ping(), Math.min(PING_EVERY_MS, watchdogMs / 3)));
    for (const timer of this.#timers) timer.unref();
  }

  /** Says that the gateway stops. */
  stop(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    // Whoever stops takes less than the unit's time to stop: more need not be asked for.
    this.#send(['STOPPING=1', 'STATUS=stopping']);
  }

  #look(): void {
    const { status } = this.#read();
    if (status !== this.#toldStatus) this.#tell([], status);
  }

  #ping(): void {
    const { status, isHealthy } = this.#read();
    if (isHealthy) this.#tell(['WATCHDOG=1'], status);
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

  #tell(assignments: readonly string[], status: string): void {
    // Without READY the manager would end us when its patience does: said until it has got through.
    const ready = this.#toldStatus === undefined ? ['READY=1'] : [];
    if (!this.#send([...ready, ...assignments, `STATUS=${status}`])) return;
    this.#toldStatus = status;
    this.#hasWarned = false;
  }

  /** True if the message got through. */
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

/** A line break would begin an assignment of its own. */
function onOneLine(text: string): string {
  return text.replace(/[\r\n\0]+/g, ' ');
}
