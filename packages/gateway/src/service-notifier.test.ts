import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/helpers/eventually.ts';
import { NotifySocket } from '../../../test/helpers/notify-socket.ts';
import { ServiceNotifier, serviceManagerOf } from './service-notifier.ts';

const { PATH: path } = process.env;
const lines: { level: number; msg: string }[] = [];
const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
const state = { status: 'all well', isSound: true, statusText: () => state.status, isHealthy: () => state.isSound };
let folder = '';
let notifier: ServiceNotifier | undefined;

async function stop(): Promise<void> {
  await notifier?.stop();
  notifier = undefined;
}

function start(socket: string, watchdogMs?: number, where = path): void {
  notifier = new ServiceNotifier({ socket, watchdogMs, path: where }, state, log);
  notifier.start();
}

/** Puts a program of that text in the place of systemd-notify, and returns the PATH to find it by. */
async function fakeSender(script: string): Promise<string> {
  await writeFile(join(folder, 'systemd-notify'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

beforeEach(async () => {
  lines.length = 0;
  Object.assign(state, { status: 'all well', isSound: true, statusText: () => state.status });
  folder = await mkdtemp(join(tmpdir(), 'chat-web-notifier-'));
});

afterEach(async () => {
  await stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the service manager', () => {
  it('is told READY at once, that we live three times in its patience, and at last STOPPING', async () => {
    await using socket = await NotifySocket.open();
    start(socket.path, 900);
    await eventually(() => expect(socket.values('WATCHDOG').length).toBeGreaterThan(2));
    await stop();
    expect(socket.received[0]?.assignments).toEqual({ READY: '1', STATUS: 'all well' });
    expect(socket.values('READY')).toEqual(['1']);
    expect(socket.values('STOPPING')).toEqual(['1']);
    const pings = socket.times('WATCHDOG').length;
    await delay(700);
    expect(socket.times('WATCHDOG')).toHaveLength(pings);
    expect(lines).toEqual([]);
  });

  it('hears no ping where it does not watch, but each change of the status, once', async () => {
    await using socket = await NotifySocket.open();
    start(socket.path);
    await eventually(() => expect(socket.values('STATUS')).toEqual(['all well']));
    state.status = 'one restarting\nREADY=0\0';
    await eventually(() => expect(socket.values('STATUS')).toEqual(['all well', 'one restarting READY=0 ']));
    await delay(2_500);
    expect(socket.values('STATUS')).toHaveLength(2);
    expect(socket.values('WATCHDOG')).toEqual([]);
  });

  it('hears no ping while we are not sound, or cannot tell', async () => {
    await using socket = await NotifySocket.open();
    state.isSound = false;
    start(socket.path, 300);
    await delay(1_000);
    expect(socket.values('WATCHDOG')).toEqual([]);
    state.isSound = true;
    await eventually(() => expect(socket.values('WATCHDOG')).not.toEqual([]));
    state.statusText = () => {
      throw new Error('no idea');
    };
    await eventually(() => expect(socket.values('STATUS')).toContain('no idea'));
    const pings = socket.values('WATCHDOG').length;
    await delay(500);
    expect(socket.values('WATCHDOG')).toHaveLength(pings);
    expect(lines.map(({ level }) => level)).toEqual([50, 30, 50]);
  });

  it('that could not be reached is told READY when it can be; one warning tells of it', async () => {
    const path = join(folder, 'socket');
    start(path, 300);
    await eventually(() => expect(lines).toHaveLength(1));
    await delay(1_000);
    await using socket = await NotifySocket.open(path);
    await eventually(() => expect(socket.values('READY')).toEqual(['1']));
    expect(lines.map(({ level }) => level)).toEqual([40]);
  });
});

describe('systemd-notify', () => {
  it('that is missing is one warning, and nothing is tried again', async () => {
    start('/nowhere', 100, folder);
    await delay(500);
    await fakeSender(`echo called >> ${folder}/calls`);
    await delay(500);
    expect(lines.map(({ msg }) => msg)).toEqual([expect.stringContaining('not on the PATH')]);
    expect(await readdir(folder)).toEqual(['systemd-notify']);
    await stop();
    expect(lines).toHaveLength(1);
  });

  it('sees the socket and the PATH, and nothing else of our environment', async () => {
    start(
      '/nowhere',
      undefined,
      await fakeSender(`read -r all < /proc/$$/environ; echo "$all" > ${folder}/environment`),
    );
    const seen = await eventually(() => readFile(join(folder, 'environment'), 'utf8').then((all) => all || fail()));
    expect(seen.trim()).toBe(`NOTIFY_SOCKET=/nowherePATH=${folder}`);
  });

  it('that hangs is ended, and holds no stop up for long', async () => {
    start('/nowhere', undefined, await fakeSender(`echo $$ > ${folder}/pid; exec /bin/sleep 60`));
    const pid = await eventually(async () => Number(await readFile(join(folder, 'pid'), 'utf8')) || fail());
    const begin = performance.now();
    await stop();
    expect(performance.now() - begin).toBeLessThan(7_000);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

function fail(): never {
  throw new Error('nothing is there yet');
}

describe('the environment', () => {
  const socket = '/run/systemd/notify';

  it('names no service manager without a socket', () => {
    expect(serviceManagerOf({ WATCHDOG_USEC: '30000000' }, 7)).toBeUndefined();
    expect(serviceManagerOf({ NOTIFY_SOCKET: '' }, 7)).toBeUndefined();
  });

  it('tells how patient the watchdog is, where it is ours', () => {
    const patience = (env: Record<string, string>) =>
      serviceManagerOf({ NOTIFY_SOCKET: socket, ...env }, 7)?.watchdogMs;
    expect(patience({ WATCHDOG_USEC: '30000000' })).toBe(30_000);
    expect(patience({ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '7' })).toBe(30_000);
    expect(patience({ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '8' })).toBeUndefined();
    expect(patience({ WATCHDOG_USEC: '0' })).toBeUndefined();
    expect(patience({ WATCHDOG_USEC: 'soon' })).toBeUndefined();
    expect(patience({})).toBeUndefined();
  });

  it('without a service manager: starting and stopping do nothing', async () => {
    const notifier = new ServiceNotifier(undefined, state, log);
    notifier.start();
    await notifier.stop();
    expect(lines).toEqual([]);
  });
});
