import { readdir } from 'node:fs/promises';
import { sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ADA, BEN, browsersIn, eventually, startsOf, statusesOf, workersOf } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { describe, expect, it } from 'vitest';

/** How long a phone keeps a device whose greeting is not answered. */
const ONBOARDING_MS = 30_000;

/** What the data folder has under the name of a session, or in a folder of that name. */
async function namedAfter(id: string, dataDir: string): Promise<string[]> {
  const paths = await readdir(dataDir, { recursive: true });
  return paths.filter((path) => path.split(sep).some((name) => name.startsWith(id)));
}

describe('stop', () => {
  it('keeps the auth, so that the next start needs no QR; delete wipes it, so that the next one does', async () => {
    await using stack = await Stack.start();
    const { client, phones } = stack;
    await stack.link('main', ADA);
    const events = await stack.listen('main');

    expect(await client.stopSession({ id: 'main' })).toEqual({ id: 'main', status: 'stopped' });
    expect(await client.stopSession({ id: 'main' })).toEqual({ id: 'main', status: 'stopped' });
    expect(await client.listSessions()).toMatchObject({ sessions: [{ id: 'main', status: 'stopped' }] });
    expect(browsersIn(stack.dataDir)).toEqual([]);
    expect(workersOf(stack.gateway.pid)).toEqual([]);
    const whileStopped = client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'x' });
    await expect(whileStopped).rejects.toMatchObject({ code: 'session_not_ready' });

    const { status, qr } = await client.startSession({ id: 'main' });
    expect({ isUp: ['authenticating', 'ready'].includes(status), qr }).toEqual({ isUp: true, qr: undefined });
    await stack.untilStatus('main', 'ready');
    await eventually(() => expect(events.events.map(({ name }) => name)).toEqual(['disconnected', 'ready']));
    expect(events.ended).toBe(false);

    expect((await phones.account(ADA)).devices).toHaveLength(1);
    expect(await client.deleteSession({ id: 'main' })).toEqual({ id: 'main', status: 'removed' });
    await eventually(() => expect(events.ended).toBe(true));
    expect((await phones.account(ADA)).devices).toEqual([]);
    await expect(client.getSessionStatus({ id: 'main' })).rejects.toMatchObject({ code: 'session_not_found' });
    expect(await namedAfter('main', stack.dataDir)).toEqual([]);
    expect((await client.startSession({ id: 'main' })).status).toBe('qr');
  });

  it('ends an unresponsive worker and its browser', async () => {
    await using stack = await Stack.start();
    await stack.link('main', ADA);
    const [worker = Number.NaN] = workersOf(stack.gateway.pid); // 0 would signal all processes of this test.
    process.kill(worker, 'SIGSTOP');
    expect(await stack.client.stopSession({ id: 'main' })).toEqual({ id: 'main', status: 'stopped' });
    expect(workersOf(stack.gateway.pid)).toEqual([]);
    expect(browsersIn(stack.dataDir)).toEqual([]);
  });
});

describe('start', () => {
  const stack = sharedStack();

  it('ten times at once forks one worker, and answers each request', async () => {
    const starts = Array.from({ length: 10 }, () => stack.client.startSession({ id: 'main' }));
    const answers = await Promise.all(starts);
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill('qr'));
    expect(workersOf(stack.gateway.pid)).toHaveLength(1);
    expect(stack.gateway.log.filter((line) => line.includes('"worker started"'))).toHaveLength(1);
  });

  it('and stop leave nothing behind of a session that was never linked', async () => {
    const { client } = stack;
    expect(await client.stopSession({ id: 'main' })).toEqual({ id: 'main', status: 'stopped' });
    await expect(client.getSessionStatus({ id: 'main' })).rejects.toMatchObject({ code: 'session_not_found' });
    await expect(client.stopSession({ id: 'main' })).rejects.toMatchObject({ code: 'session_not_found' });
    expect(await namedAfter('main', stack.dataDir)).toEqual([]);
    expect(browsersIn(stack.dataDir)).toEqual([]);
  });

  it('and stop and delete at once end in a consistent state', async () => {
    const { client } = stack;
    const calls = [
      client.startSession({ id: 'main' }),
      client.stopSession({ id: 'main' }),
      client.deleteSession({ id: 'main' }),
    ];
    await Promise.allSettled(calls);
    // Each has its own connection, so that any of them may be the last.
    await eventually(async () => {
      const { sessions } = await client.listSessions();
      const running = sessions.filter(({ status }) => status !== 'stopped');
      expect(workersOf(stack.gateway.pid)).toHaveLength(running.length);
    });
    await Promise.allSettled([client.deleteSession({ id: 'main' })]);
    expect(workersOf(stack.gateway.pid)).toEqual([]);
    expect(browsersIn(stack.dataDir)).toEqual([]);
  });

  it('without a usable browser fails at once, and the error says what to do', async () => {
    await using stack = await Stack.start({ settings: { CHAT_WEB_BROWSER_PATH: '/nowhere/chromium' } });
    expect(await stack.client.startSession({ id: 'main' })).toMatchObject({ status: 'failed' });
    expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({
      reason: 'BROWSER_NOT_FOUND',
      message: expect.stringContaining('CHAT_WEB_BROWSER_PATH'),
    });
  });

  it('whose first attempt fails is answered at once, with the reason and the time of the retry', async () => {
    const nowhere = JSON.stringify(['--host-resolver-rules=MAP * ~NOTFOUND']);
    await using stack = await Stack.start({ settings: { CHAT_WEB_BROWSER_ARGS: nowhere } });
    const { status, reason, message, nextAttemptAt } = await stack.client.startSession({ id: 'main' });
    expect({ status, reason, message }).toEqual({
      status: 'starting',
      reason: 'LAUNCH_FAILED',
      message: expect.stringContaining('ERR_NAME_NOT_RESOLVED'),
    });
    // The response came with the first failure, and not with a later one or the end of the wait.
    expect(startsOf('main', stack.gateway.log)).toHaveLength(1);
    expect(Date.parse(nextAttemptAt ?? '')).toBeGreaterThan(startsOf('main', stack.gateway.log)[0] ?? Number.NaN);
  });
});

describe('saved sessions', () => {
  const stack = sharedStack();

  it('start at boot without a QR, and not with CHAT_WEB_AUTO_START_SESSIONS=false', async () => {
    await stack.link('main', ADA);
    await stack.gateway.end();

    await stack.restartGateway({ CHAT_WEB_AUTO_START_SESSIONS: 'false' });
    // Starts are sequential: an automatic one would be in progress before this one shows its QR.
    expect((await stack.client.startSession({ id: 'other' })).status).toBe('qr');
    expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'stopped' });
    await stack.client.deleteSession({ id: 'other' });
    await stack.gateway.end();
    expect([startsOf('other', stack.gateway.log).length, startsOf('main', stack.gateway.log).length]).toEqual([1, 0]);

    await stack.restartGateway();
    const { sessions } = await stack.client.listSessions();
    expect(sessions.map(({ id }) => id)).toEqual(['main']);
    await stack.untilStatus('main', 'ready');
    await eventually(() =>
      expect(statusesOf('main', stack.gateway.log)).toEqual(['starting', 'authenticating', 'ready']),
    );
  });

  it('whose account is unlinked on the phone while nothing runs detect that at the next start', async () => {
    await stack.client.stopSession({ id: 'main' });
    await stack.phones.logout(ADA);
    const events = await stack.listen('main');
    await stack.client.startSession({ id: 'main' });
    await stack.untilStatus('main', 'qr');
    expect(events.all('disconnected')).toMatchObject([{ reason: 'LOGOUT' }]);
  });
});

describe('an account', () => {
  it("is not unlinked by a phone that waits for an answer to the page's greeting: the worker answers it", async () => {
    await using stack = await Stack.start({ simulator: { onboardingMs: ONBOARDING_MS } });
    await stack.link('main', ADA);
    const events = await stack.listen('main');
    await delay(ONBOARDING_MS + 500); // The phone counts from the scan.
    expect((await stack.phones.account(ADA)).devices).toHaveLength(1);
    expect(events.events).toEqual([]);
    expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'ready' });
  });
});
