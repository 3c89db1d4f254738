import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { spawnGateway } from '@chat-web/gateway/tools';
import { ADA, browsersIn, eventually, NotifySocket, workersOf } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

const folder = sharedFolder();
const envFile = join(folder, 'gateway.env');

/** Waits for a line of the log after the first `after` lines. */
function logged(log: readonly string[], text: string, after = 0): Promise<string> {
  return eventually(() => {
    const line = log.slice(after).find((line) => line.includes(text));
    if (line === undefined) throw new Error(`no line contains ${text}:\n${log.slice(after).join('\n')}`);
    return line;
  });
}

it('a service manager reads the state of the sessions; workers and browsers do not get its variables', async () => {
  await using socket = await NotifySocket.open();
  await using stack = await Stack.start({ settings: { NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '3000000' } });
  await eventually(() => expect(socket.values('READY')).toEqual(['1']));
  expect(socket.values('STATUS').at(0)).toBe('0 sessions');
  await stack.link('main', ADA);
  await eventually(() => expect(socket.values('STATUS').at(-1)).toBe('1 session, 1 ready'));
  const children = [...workersOf(stack.gateway.pid), ...browsersIn(stack.dataDir)];
  expect(children.length).toBeGreaterThan(2);
  const environments = await Promise.all(children.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8')));
  expect(environments.join()).not.toMatch(/NOTIFY_|WATCHDOG_|LISTEN_|CHAT_WEB_/);
  await stack.client.stopSession({ id: 'main' });
  await eventually(() => expect(socket.values('STATUS').at(-1)).toBe('1 session, 1 stopped'));
  expect(await stack.gateway.end()).toEqual({ code: 0, signal: null });
  expect(socket.received.at(-1)?.assignments).toEqual({ STOPPING: '1', STATUS: 'stopping' });
  // The unit has NotifyAccess=main: notifications from other processes would be ignored.
  expect(new Set(socket.received.map(({ sender }) => sender))).toEqual(new Set([stack.gateway.pid]));
});

it('SIGHUP reloads the log level, also for running sessions; an invalid file changes nothing', async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_LOG_LEVEL: 'info', CHAT_WEB_ENV_FILE: envFile } });
  const { log, pid } = stack.gateway;
  const ofSession = (level: string, after: number) =>
    log.slice(after).filter((line) => line.includes('"session":"main"') && line.includes(`"level":"${level}"`));
  await stack.link('main', ADA);
  expect(ofSession('info', 0)).not.toEqual([]);
  expect(ofSession('debug', 0)).toEqual([]);

  await writeFile(envFile, '# more, please\nCHAT_WEB_TOKEN=not-read\nCHAT_WEB_LOG_LEVEL="debug"\n');
  process.kill(pid, 'SIGHUP');
  await logged(log, '"logLevel":"debug"');
  await stack.phones.logout(ADA); // The session and its logger existed before the signal.
  await eventually(() => expect(ofSession('debug', 0)).not.toEqual([]));

  await writeFile(envFile, 'CHAT_WEB_LOG_LEVEL=loud\n');
  process.kill(pid, 'SIGHUP');
  expect(await logged(log, 'CHAT_WEB_LOG_LEVEL must be')).toContain('"level":"error"');
  await rm(envFile);
  process.kill(pid, 'SIGHUP');
  expect(await logged(log, 'ENOENT')).toContain('"level":"error"');
  execFileSync('mkfifo', [envFile]);
  process.kill(pid, 'SIGHUP');
  expect(await logged(log, 'names no regular file')).toContain('"level":"error"');
  await rm(envFile);
  const before = log.length;
  await stack.untilStatus('main', 'qr');
  await stack.client.stopSession({ id: 'main' });
  await eventually(() => expect(log.slice(before).join()).toContain('"level":"debug"'));

  await writeFile(envFile, 'CHAT_WEB_LOG_LEVEL=silent\n');
  process.kill(pid, 'SIGHUP');
  const linesOf = async (calls: number) => {
    const written = log.length;
    for (let call = 0; call < calls; call += 1) await stack.client.listSessions();
    await delay(100); // A line of these calls would be written by then.
    return log.length - written;
  };
  await eventually(async () => expect(await linesOf(1)).toBe(0));
  expect(await linesOf(20)).toBe(0);
});

it('SIGHUP without a file to read reports what to set, and ends nothing', async () => {
  const gateway = await spawnGateway({ CHAT_WEB_PORT: '0', CHAT_WEB_DATA_DIR: join(folder, 'data') });
  try {
    process.kill(gateway.pid, 'SIGHUP');
    expect(await logged(gateway.log, 'CHAT_WEB_ENV_FILE')).toContain('"level":"warn"');
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  } finally {
    expect(await gateway.end()).toEqual({ code: 0, signal: null });
  }
});
