import { spawn } from 'node:child_process';
import { mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@chat-web/host';
import { eventually, JSON_TYPE, logLines, rawRequest } from '@chat-web/testing';
import { freshFolder } from '@chat-web/testing/hooks';
import { EventLog } from '@chat-web/testing/stack';
import { freshGateway } from '@chat-web/testing/story';
import { describe, expect, it } from 'vitest';

const TOKEN = 'the-operators-token';
const NUMBER = '4915112345678';
const BODY = 'a message that is nobody elses business';
const gateway = freshGateway({ settings: { CHAT_WEB_TOKEN: TOKEN }, sessions: ['main'] });
const { start } = gateway;
const folder = freshFolder();
const auditFile = join(folder, 'audit.log');

interface AuditLine {
  readonly audit?: boolean;
  readonly who: string;
  readonly operation: string;
  readonly status: number;
  readonly session?: string;
  readonly code?: string;
  readonly key?: string;
}
const auditLines = (lines: readonly string[]) =>
  (logLines(lines) as unknown as AuditLine[]).filter(({ audit }) => audit === true);
const inFile = async (path = auditFile) => auditLines((await readFile(path, 'utf8')).split('\n'));
const stop = ({ url }: typeof gateway) => createClient({ url, token: TOKEN }).stopSession({ id: 'main' });

describe('the audit lines', () => {
  it('record who did what on which session, and the result; also refusals; nothing private', async () => {
    const envFile = join(folder, 'gateway.env');
    const { url, log, pid } = await start({ CHAT_WEB_ENV_FILE: envFile });
    await writeFile(envFile, 'CHAT_WEB_LOG_LEVEL=silent\n'); // The log level does not apply to them.
    process.kill(pid, 'SIGHUP');
    await eventually(async () => {
      const before = log.length;
      await rawRequest(url, { path: '/sessions', headers: { origin: 'http://evil.example' } });
      expect(log.slice(before).join()).not.toContain('access refused');
    });
    const client = createClient({ url, token: TOKEN });
    const { key, id } = await client.createKey({ name: `for ${NUMBER}`, sessions: ['main'], scope: 'send' });
    const ask = (method: string, path: string, token?: string, body?: object) =>
      rawRequest(url, {
        method,
        path,
        body: body && JSON.stringify(body),
        headers: { ...JSON_TYPE, ...(token ? { authorization: `Bearer ${token}` } : {}) },
      });
    const chat = `${NUMBER}@c.us`;
    await ask('POST', '/sessions/main/messages', key, { type: 'text', to: chat, body: BODY }); // 409
    await ask('POST', `/sessions/main/messages/true_${chat}_3EB0AA/edit`, key, { body: BODY }); // 409
    await ask('GET', `/sessions/main/contacts/${NUMBER}/exists`, key); // 409, and not recorded
    await ask('GET', '/sessions/main/qr', TOKEN); // 404
    await ask('POST', '/sessions/main/stop', key); // 403
    await ask('GET', '/sessions/other/status', key); // 404
    await ask('POST', `/sessions/..%2F${NUMBER}@c.us/stop`, key); // 404, and not a session id
    await ask('GET', '/sessions'); // 401
    await ask('DELETE', '/sessions/main', `${TOKEN}x`); // 401
    const stream = await EventLog.open({ url, token: key }, 'main');
    stream.close();
    await client.deleteKey({ keyId: id });
    const expected = [
      { who: 'token', operation: 'createKey', status: 201, key: id },
      { who: id, operation: 'sendMessage', session: 'main', status: 409, code: 'session_not_ready' },
      { who: id, operation: 'editMessage', session: 'main', status: 409, code: 'session_not_ready' },
      { who: 'token', operation: 'getQr', session: 'main', status: 404, code: 'qr_not_available' },
      { who: id, operation: 'stopSession', session: 'main', status: 403, code: 'insufficient_scope' },
      { who: id, operation: 'getSessionStatus', session: 'other', status: 404, code: 'session_not_found' },
      { who: id, operation: 'stopSession', status: 404, code: 'session_not_found' },
      { who: 'nobody', operation: 'listSessions', status: 401, code: 'unauthorized' },
      { who: 'nobody', operation: 'deleteSession', session: 'main', status: 401, code: 'unauthorized' },
      { who: id, operation: 'events', session: 'main', status: 200 },
      { who: 'token', operation: 'deleteKey', status: 200, key: id },
    ];
    const found = () => auditLines(log).filter(({ code }) => code !== 'forbidden');
    await eventually(() => expect(found()).toHaveLength(expected.length));
    const lines = found();
    expect(lines).toMatchObject(expected);
    expect(lines[6]).not.toHaveProperty('session');
    for (const secret of [TOKEN, key, NUMBER, BODY]) expect(JSON.stringify(lines)).not.toContain(secret);
  });

  it('are bounded for each caller, except for what was done', async () => {
    const { url, log } = await start();
    const { key } = await createClient({ url, token: TOKEN }).createKey({
      name: 'noisy',
      sessions: ['main'],
      scope: 'manage',
    });
    const ask = async (method: string, path: string) => {
      const answer = await fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${key}` } });
      await answer.arrayBuffer();
      return answer.status;
    };
    const askTenTimes = async (method: string, path: string, status: number) => {
      const statuses = await Promise.all(Array.from({ length: 10 }, () => ask(method, path)));
      expect(statuses).toEqual(Array(10).fill(status));
    };
    expect(await ask('POST', '/sessions/main/stop')).toBe(200);
    // Within a minute: the next one has its own lines.
    for (let n = 0; n < 61; n += 1) await askTenTimes('POST', '/sessions/other/stop', 404);
    await askTenTimes('HEAD', '/sessions/main/events', 200); // Shows nothing, and is not recorded.
    await askTenTimes('POST', '/sessions/main/export', 409); // Nothing was stopped for it.
    await askTenTimes('PUT', '/sessions/main/privacy', 415);
    expect(await ask('POST', '/sessions/main/start')).toBe(200);
    expect(await ask('POST', '/sessions/main/export')).toBe(409); // The session was stopped for it.
    const ofKey = () => auditLines(log).filter(({ who }) => who.startsWith('key_'));
    await eventually(() => expect(ofKey().at(-1)?.operation).toBe('exportSession'));
    expect(ofKey()).toMatchObject([
      { operation: 'stopSession', session: 'main', status: 200 },
      ...Array(600).fill({ operation: 'stopSession', session: 'other', status: 404 }),
      { operation: 'startSession', session: 'main', status: 200, skipped: 30 },
      { operation: 'exportSession', session: 'main', status: 409, code: 'session_not_exportable' },
    ]);
  });

  it('are appended to their own file where one is set; only its user may read it', async () => {
    await stop(await start({ CHAT_WEB_AUDIT_FILE: auditFile }));
    expect((await stat(auditFile)).mode & 0o777).toBe(0o600);
    await gateway.end();
    const again = await start({ CHAT_WEB_AUDIT_FILE: auditFile });
    await stop(again);
    expect(await inFile()).toMatchObject([{ operation: 'stopSession' }, { operation: 'stopSession' }]);
    expect(auditLines(again.log)).toEqual([]);
  });

  it('are written to a new file after SIGHUP, when the old one was rotated', async () => {
    const running = await start({ CHAT_WEB_AUDIT_FILE: auditFile });
    await stop(running);
    await rename(auditFile, `${auditFile}.1`);
    await stop(running);
    expect(await inFile(`${auditFile}.1`)).toHaveLength(2);
    process.kill(running.pid, 'SIGHUP');
    await eventually(() => stat(auditFile));
    await stop(running);
    expect(await inFile(`${auditFile}.1`)).toHaveLength(2);
    expect(await inFile()).toHaveLength(1);
    // If the new one cannot be opened, the former one stays in use.
    await rm(auditFile);
    await mkdir(auditFile);
    process.kill(running.pid, 'SIGHUP');
    await eventually(() => expect(running.log.join()).toContain('audit file not written'));
    await stop(running);
  });

  it.each([
    ['is in a missing folder', async () => join(folder, 'nowhere', 'audit.log')],
    ['is a folder', async () => folder],
    [
      'is a pipe without a reader',
      async () => {
        await new Promise((resolve) => spawn('mkfifo', [auditFile]).once('exit', resolve));
        return auditFile;
      },
    ],
    [
      'has no space left',
      async () => {
        await symlink('/dev/full', auditFile);
        return auditFile;
      },
    ],
  ])('are written to the log where the file %s, and the service continues', async (_, prepare) => {
    const running = await start({ CHAT_WEB_AUDIT_FILE: await prepare() });
    for (let n = 0; n < 3; n += 1) await stop(running);
    await eventually(() => expect(auditLines(running.log)).toHaveLength(3));
    const complaints = running.log.filter((line) => line.includes('audit file not written'));
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toContain('"level":"error"');
  });

  it('are written to the file again as soon as it is writable', async () => {
    const path = join(folder, 'later', 'audit.log');
    const running = await start({ CHAT_WEB_AUDIT_FILE: path });
    await stop(running);
    await mkdir(join(folder, 'later'));
    await stop(running);
    expect(await inFile(path)).toHaveLength(1);
    await writeFile(path, '');
    await stop(running);
    expect(await inFile(path)).toHaveLength(1);
  });
});
