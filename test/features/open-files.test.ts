import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { type GatewayProcess, spawnGateway } from '@chat-web/gateway/tools';
import { ADA, BEN, browserAndWorkerIn, eventually, figure, rawRequest } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

/** Below what the gateway has open: it can open nothing more. */
const TOO_FEW = 8;
const LOW_LIMIT = 200;
const CONNECTIONS = 400;

/** Sets how many files a process may have open; its former limit if it is undefined. */
function limitFiles(pid: number, files: number | undefined): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${files ?? hardLimit(pid)}:`]);
}

function hardLimit(pid: number): string {
  return execFileSync('prlimit', ['--pid', String(pid), '--nofile', '--noheadings', '--output=HARD'])
    .toString()
    .trim();
}

function openFiles({ pid }: GatewayProcess): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

it('a gateway that can open no more files ends no session, loses nothing, and goes on once it can', async () => {
  await using stack = await Stack.start();
  const { gateway, client, phones } = stack;
  await stack.link('main', ADA);
  const events = await stack.listen('main');
  const bodies = () => events.all('message').map(({ body }) => body);

  limitFiles(gateway.pid, TOO_FEW);
  // The control: it does not even accept a connection.
  await expect(rawRequest(gateway.url, { path: '/health' })).rejects.toThrow();
  await phones.send(BEN, { to: ADA, body: 'to the running session' });
  await eventually(() => expect(bodies()).toEqual(['to the running session']));
  await eventually(() => expect(gateway.log.join('\n')).toMatch(/EMFILE.*"periodic check failed"/));
  process.kill(browserAndWorkerIn(`${stack.dataDir}/sessions/main`).worker, 'SIGKILL');
  await phones.send(BEN, { to: ADA, body: 'to none' });
  await eventually(() => expect(gateway.log.filter((line) => line.includes('"session restarting"'))).not.toEqual([]));
  const refused = /"reason":"(START_REFUSED|WORKER_EXITED)".*EMFILE/;
  await eventually(() => expect(gateway.log.filter((line) => refused.test(line))).not.toEqual([]));

  limitFiles(gateway.pid, undefined);
  await stack.untilStatus('main', 'ready', 180_000);
  await stack.settled();
  expect(bodies()).toEqual(['to the running session', 'to none']);
  expect([events.ended, events.all('qr')]).toEqual([false, []]);
  await client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'and back' });
  figure(
    'no more open files',
    'a running session delivers; a killed one is back once files can be opened; 0 messages lost',
  );
});

const dir = sharedFolder();

it('connections leave the files that the rest needs, whatever the limit is', async () => {
  const gateway = await spawnGateway(
    { CHAT_WEB_PORT: '0', CHAT_WEB_DATA_DIR: dir, CHAT_WEB_BROWSER_PATH: '/bin/false' },
    { through: ['prlimit', `--nofile=${LOW_LIMIT}`] },
  );
  const { hostname, port } = new URL(gateway.url);
  const sockets: Socket[] = [];
  const health = async () => expect((await rawRequest(gateway.url, { path: '/health' })).status).toBe(200);
  try {
    const before = openFiles(gateway);
    for (let n = 0; n < CONNECTIONS; n += 1)
      sockets.push(
        createConnection(Number(port), hostname)
          .on('error', () => {})
          .resume(),
      );
    await eventually(() => expect(openFiles(gateway)).toBeGreaterThan(before + 100));
    await eventually(() =>
      expect(sockets.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(CONNECTIONS / 2),
    );
    const most = openFiles(gateway);
    expect(most).toBeLessThan(LOW_LIMIT - 20);
    // A connection without a head is closed after 10 s.
    await eventually(health);
    await rawRequest(gateway.url, { method: 'POST', path: '/sessions/main/start' });
    await eventually(() => expect(gateway.log.filter((line) => line.includes('"worker started"'))).not.toEqual([]));
    expect(gateway.log.filter((line) => line.includes('EMFILE'))).toEqual([]);
    figure(
      'low limit of open files',
      `${CONNECTIONS} connections at a limit of ${LOW_LIMIT}: ${most} open files at most`,
    );
  } finally {
    for (const socket of sockets) socket.destroy();
    await gateway.end();
  }
});
