import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, NotifySocket } from '@chat-web/testing';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServiceNotifier, serviceManagerOf } from './service-notifier.ts';

const LAUNCHER = fileURLToPath(new URL('../../../deploy/systemd/with-notify-socket.pl', import.meta.url));

/** Longer than the notifier looks at its state. */
const STATUS_WITHIN_MS = 5_000;

const lines: { level: number; msg: string }[] = [];
const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
const state = { status: 'all well', isWell: true, statusText: () => state.status, isHealthy: () => state.isWell };
/** The messages sent, each a list of assignments. */
let sent: string[][] = [];
let isReached = true;
let notifier: ServiceNotifier | undefined;

/** Replaces the manager's socket, a kind that Node cannot open. */
function send(message: string): void {
  if (!isReached) throw new Error('EAGAIN');
  sent.push(message.split('\n'));
}

function start(watchdogMs?: number): void {
  notifier = new ServiceNotifier({ send, watchdogMs }, state, log);
  notifier.start();
}

function stop(): void {
  notifier?.stop();
  notifier = undefined;
}

const said = (assignment: string) => sent.filter((message) => message.includes(assignment)).length;

beforeEach(() => {
  lines.length = 0;
  sent = [];
  isReached = true;
  Object.assign(state, { status: 'all well', isWell: true, statusText: () => state.status });
});
afterEach(stop);

describe('the service manager', () => {
  beforeEach(() => void vi.useFakeTimers());

  it('gets READY at once, three pings per watchdog interval, and finally STOPPING', () => {
    start(900);
    expect(sent).toEqual([['READY=1', 'STATUS=all well']]);
    vi.advanceTimersByTime(STATUS_WITHIN_MS);
    expect(said('WATCHDOG=1')).toBeGreaterThan(2);
    stop();
    expect(said('READY=1')).toBe(1);
    expect(sent.at(-1)).toEqual(['STOPPING=1', 'STATUS=stopping']);
    const before = sent.length;
    vi.advanceTimersByTime(700);
    expect(sent).toHaveLength(before);
    expect(lines).toEqual([]);
  });

  it('gets no ping without a watchdog, but each status change once', () => {
    start();
    state.status = 'one restarting\nREADY=0\0';
    vi.advanceTimersByTime(STATUS_WITHIN_MS);
    expect(sent.at(-1)).toEqual(['STATUS=one restarting READY=0 ']);
    vi.advanceTimersByTime(2_500);
    expect(sent).toHaveLength(2);
  });

  it('gets no ping while the gateway is unhealthy or its state unknown', () => {
    state.isWell = false;
    start(300);
    vi.advanceTimersByTime(1_000);
    expect(said('WATCHDOG=1')).toBe(0);
    state.isWell = true;
    vi.advanceTimersByTime(STATUS_WITHIN_MS);
    expect(said('WATCHDOG=1')).toBeGreaterThan(0);
    state.statusText = () => {
      throw new Error('no idea');
    };
    vi.advanceTimersByTime(STATUS_WITHIN_MS);
    expect(said('STATUS=no idea')).toBe(1);
    const pings = said('WATCHDOG=1');
    vi.advanceTimersByTime(500);
    expect(said('WATCHDOG=1')).toBe(pings);
    expect(lines.map(({ level }) => level)).toEqual([50, 30, 50]);
  });

  it('gets READY once it can be reached; one warning is logged', () => {
    isReached = false;
    start(300);
    vi.advanceTimersByTime(1_000);
    isReached = true;
    vi.advanceTimersByTime(STATUS_WITHIN_MS);
    expect(said('READY=1')).toBe(1);
    expect(lines.map(({ level }) => level)).toEqual([40]);
  });

  it('without a connection causes one warning that says what to do', () => {
    notifier = new ServiceNotifier({ send: undefined, watchdogMs: 100 }, state, log);
    notifier.start();
    vi.advanceTimersByTime(500);
    stop();
    expect(lines).toMatchObject([
      { msg: 'service manager not notified', hint: expect.stringContaining('with-notify-socket.pl') },
    ]);
  });
});

describe('the environment', () => {
  const socket = '/run/systemd/notify';

  it('names no service manager without a socket', () => {
    expect(serviceManagerOf({ WATCHDOG_USEC: '30000000' }, 7)).toBeUndefined();
    expect(serviceManagerOf({ NOTIFY_SOCKET: '' }, 7)).toBeUndefined();
  });

  it('has the watchdog interval, if it is meant for this process', () => {
    const patience = (env: Record<string, string>) =>
      serviceManagerOf({ NOTIFY_SOCKET: socket, ...env }, 7)?.watchdogMs;
    expect(patience({ WATCHDOG_USEC: '30000000' })).toBe(30_000);
    expect(patience({ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '7' })).toBe(30_000);
    expect(patience({ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '8' })).toBeUndefined();
    expect(patience({ WATCHDOG_USEC: '0' })).toBeUndefined();
    expect(patience({ WATCHDOG_USEC: 'soon' })).toBeUndefined();
    expect(patience({})).toBeUndefined();
  });

  it('has a descriptor only if it was passed to this process and is a socket', () => {
    const passed = { NOTIFY_SOCKET: socket, LISTEN_PID: '7', LISTEN_FDS: '1', LISTEN_FDNAMES: 'notify' };
    const hasWay = (env: Record<string, string | undefined>) =>
      serviceManagerOf({ ...passed, ...env }, 7)?.send !== undefined;
    for (const env of [
      { LISTEN_PID: '8' },
      { LISTEN_PID: undefined },
      { LISTEN_FDS: '0' },
      { LISTEN_FDS: undefined },
      { LISTEN_FDNAMES: 'http' },
      { LISTEN_FDNAMES: undefined },
      { LISTEN_FDS: '1', LISTEN_FDNAMES: 'http:notify' },
      { LISTEN_FDS: '9999', LISTEN_FDNAMES: `${'x:'.repeat(9_000)}notify` },
    ])
      expect(hasWay(env), JSON.stringify(env)).toBe(false);
    // A descriptor with that number that was not passed to it.
    const fd = openSync('/dev/null', 'r');
    expect(hasWay({ LISTEN_FDS: String(fd), LISTEN_FDNAMES: `${'x:'.repeat(fd - 3)}notify` })).toBe(false);
    closeSync(fd);
  });

  it('without a service manager: starting and stopping do nothing', () => {
    const notifier = new ServiceNotifier(undefined, state, log);
    notifier.start();
    notifier.stop();
    expect(lines).toEqual([]);
  });
});

describe('with-notify-socket.pl', () => {
  /** A program that reports its pid, what it was passed, and what its children have. */
  const PROGRAM = `
    const { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES } = process.env;
    const connection = LISTEN_FDS ? require('node:fs').readlinkSync('/proc/self/fd/3') : 'none';
    const ofChild = require('node:child_process').execFileSync('ls', ['-l', '/proc/self/fd'], { encoding: 'utf8' });
    if (LISTEN_FDS) require('node:fs').writeSync(3, 'READY=1');
    console.log(JSON.stringify([process.pid, LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES, ofChild.includes(connection)]));`;

  function launch(socket: string | undefined, ...args: string[]) {
    const { PATH } = process.env;
    const env = { PATH, ...(socket === undefined ? {} : { NOTIFY_SOCKET: socket }) };
    const command = args.length > 0 ? args : [process.execPath, '-e', PROGRAM];
    const { pid, status, stdout, stderr } = spawnSync('perl', [LAUNCHER, ...command], { env, encoding: 'utf8' });
    return { pid: String(pid), status, said: stdout ? JSON.parse(stdout) : undefined, stderr };
  }

  it('passes a connection to a program with its pid, and to none of its children', async () => {
    await using socket = await NotifySocket.open();
    const { pid, said } = launch(socket.path);
    expect(said).toEqual([Number(pid), pid, '1', 'notify', false]);
    await eventually(() =>
      expect(socket.received).toMatchObject([{ sender: Number(pid), assignments: { READY: '1' } }]),
    );
  });

  it('passes nothing without a socket that answers', () => {
    const folder = mkdtempSync(join(tmpdir(), 'chat-web-launch-'));
    try {
      for (const socket of [undefined, '', join(folder, 'none'), `/${'x'.repeat(200)}`, '@chat-web-test-of-none']) {
        const { pid, said, stderr } = launch(socket);
        expect(said).toEqual([Number(pid), null, null, null, false]);
        expect(stderr !== '', socket).toBe(Boolean(socket));
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('runs its arguments unchanged, and fails with them', () => {
    expect(launch(undefined, 'sh', '-c', 'exit 78').status).toBe(78);
    expect(launch(undefined, 'echo "1"; true').status).not.toBe(0);
    expect(launch(undefined, '/nowhere/node').stderr).toContain('/nowhere/node cannot be run');
  });
});
