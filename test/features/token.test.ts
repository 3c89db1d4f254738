import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { tokenHash } from '@chat-web/gateway/tools';
import { eventually, expectError, rawRequest } from '@chat-web/testing';
import { freshFolder } from '@chat-web/testing/hooks';
import { EventLog } from '@chat-web/testing/stack';
import { freshGateway } from '@chat-web/testing/story';
import { describe, expect, it } from 'vitest';

const OLD = 'the-old-token';
const NEW = 'the-new-token';
const gateway = freshGateway({ sessions: ['main'] });
const { start } = gateway;
const tokenFile = join(freshFolder(), 'token');

const ask = ({ url }: typeof gateway, token: string) =>
  rawRequest(url, { path: '/sessions', headers: { authorization: `Bearer ${token}` } });

const listen = ({ url }: typeof gateway, token: string) => EventLog.open({ url, token }, 'main');

/** Makes the gateway reload its files, and waits for a line in its log. */
async function reload({ pid, log }: typeof gateway, says: string): Promise<void> {
  const before = log.length;
  process.kill(pid, 'SIGHUP');
  await eventually(() => expect(log.slice(before).join('\n')).toContain(says));
}

describe('the token of a gateway', () => {
  it('may be set as its hash, which grants no access itself', async () => {
    const running = await start({ CHAT_WEB_TOKEN: tokenHash(OLD) });
    expect((await ask(running, OLD)).status).toBe(200);
    for (const wrong of [tokenHash(OLD), tokenHash(OLD).slice(7), NEW])
      expectError(await ask(running, wrong), 401, 'unauthorized');
    expect(running.log.join()).not.toContain('token stored in clear');
  });

  it('causes a warning in the log where it is set in clear, with what to do and without the token', async () => {
    const running = await start({ CHAT_WEB_TOKEN: OLD });
    const line = running.log.find((written) => written.includes('token stored in clear'));
    expect(line).toMatch(/"level":"warn".*chat-web token/);
    expect(running.log.join()).not.toContain(OLD);
  });

  it('comes from chat-web token in both forms', async () => {
    const script = fileURLToPath(new URL('../../scripts/dist/token.js', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script]);
    const [, token = ''] = /Authorization: Bearer (\S{40,})$/m.exec(stdout) ?? [];
    const [, setting = ''] = /CHAT_WEB_TOKEN=(sha256:\S+)$/m.exec(stdout) ?? [];
    const running = await start({ CHAT_WEB_TOKEN: setting });
    expect((await ask(running, token)).status).toBe(200);
  });
});

describe('a token in a file', () => {
  it('is its first line', async () => {
    await writeFile(tokenFile, `${tokenHash(OLD)}\r\nanother line\n`);
    const running = await start({ CHAT_WEB_TOKEN_FILE: tokenFile });
    expect((await ask(running, OLD)).status).toBe(200);
    expectError(await ask(running, NEW), 401, 'unauthorized');
    expectError(await rawRequest(running.url, { path: '/sessions' }), 401, 'unauthorized');
  });

  it.each([
    ['empty', '', 'first line is empty'],
    ['blank', ' \n\nsesame-2', 'first line is empty'],
    ['no token', 'sesame-2 and-more', 'first line is not a token'],
    ['half a hash', `sha256:${'0'.repeat(60)}`, 'first line is not a token, it must have 64 hexadecimal digits'],
  ])('that is %s does not start the gateway: exit 78', async (_, text, says) => {
    await writeFile(tokenFile, text);
    const started = start({ CHAT_WEB_TOKEN_FILE: tokenFile });
    await expect(started).rejects.toThrow(/code 78/);
    await expect(started).rejects.toThrow(`CHAT_WEB_TOKEN_FILE names a file whose ${says}`);
    await expect(started).rejects.not.toThrow(/sesame-2/);
  });

  it.each([
    ['is not there', { CHAT_WEB_TOKEN_FILE: '/nowhere/token' }, 'ENOENT'],
    ['is a device', { CHAT_WEB_TOKEN_FILE: '/dev/zero' }, 'no regular file'],
    ['is a folder', { CHAT_WEB_TOKEN_FILE: '/tmp' }, 'no regular file'],
    ['is one of two', { CHAT_WEB_TOKEN_FILE: '/nowhere/token', CHAT_WEB_TOKEN: OLD }, 'are mutually exclusive'],
  ])('that %s does not start it either', async (_, settings, says) => {
    const started = start(settings);
    await expect(started).rejects.toThrow(/code 78/);
    await expect(started).rejects.toThrow(new RegExp(`CHAT_WEB_TOKEN_FILE .*${says}`));
  });

  it('is rotated by SIGHUP: both are valid in the grace period; then the former and its streams end', async () => {
    const graceMs = 20_000;
    await writeFile(tokenFile, tokenHash(OLD));
    const running = await start({
      CHAT_WEB_TOKEN_FILE: tokenFile,
      CHAT_WEB_TOKEN_GRACE_SECONDS: String(graceMs / 1_000),
    });
    const [old, another] = [await listen(running, OLD), await listen(running, OLD)];
    await writeFile(tokenFile, `${tokenHash(NEW)}\n`);
    const rotatedAt = Date.now();
    await reload(running, 'token rotated');
    const fresh = await listen(running, NEW);
    const late = await listen(running, OLD);
    for (const token of [OLD, NEW]) expect((await ask(running, token)).status).toBe(200);
    expect([old, another, late].map(({ ended }) => ended)).toEqual([false, false, false]);

    await eventually(() => expect([old, another, late].map(({ ended }) => ended)).toEqual([true, true, true]));
    const tookMs = Date.now() - rotatedAt;
    expect(tookMs).toBeGreaterThanOrEqual(graceMs - 50);
    expectError(await ask(running, OLD), 401, 'unauthorized');
    expect((await ask(running, NEW)).status).toBe(200);
    expect(fresh.ended).toBe(false);
    fresh.close();
  });

  it('is rotated at once without a grace period', async () => {
    await writeFile(tokenFile, OLD);
    const running = await start({ CHAT_WEB_TOKEN_FILE: tokenFile });
    const stream = await listen(running, OLD);
    await writeFile(tokenFile, NEW);
    await reload(running, 'token rotated');
    expectError(await ask(running, OLD), 401, 'unauthorized');
    await eventually(() => expect(stream.ended).toBe(true));
    expect(running.log.join()).not.toMatch(new RegExp(`${OLD}|${NEW}`));
  });

  it('that is rotated back within the grace period ends no stream', async () => {
    await writeFile(tokenFile, tokenHash(OLD));
    const running = await start({ CHAT_WEB_TOKEN_FILE: tokenFile, CHAT_WEB_TOKEN_GRACE_SECONDS: '15' });
    const stream = await listen(running, OLD);
    await writeFile(tokenFile, tokenHash(NEW));
    await reload(running, 'token rotated');
    await writeFile(tokenFile, tokenHash(OLD));
    await reload(running, 'token rotated');
    await eventually(() => expect(running.log.join()).toContain('former token expired')); // NEW has expired.
    expect((await ask(running, OLD)).status).toBe(200);
    expectError(await ask(running, NEW), 401, 'unauthorized');
    expect(stream.ended).toBe(false);
    stream.close();
  });

  it('that is empty, invalid or missing at SIGHUP leaves the former one unchanged, and is logged', async () => {
    await writeFile(tokenFile, tokenHash(OLD));
    const running = await start({ CHAT_WEB_TOKEN_FILE: tokenFile });
    const stream = await listen(running, OLD);
    for (const text of ['', '\n', 'two words', `${NEW}\u0000`]) {
      await writeFile(tokenFile, text);
      await reload(running, 'token not changed');
    }
    await rm(tokenFile);
    await reload(running, 'token not changed');
    expect((await ask(running, OLD)).status).toBe(200);
    expect(stream.ended).toBe(false);
    stream.close();
    expect(running.log.join()).not.toContain(NEW);
  });
});
