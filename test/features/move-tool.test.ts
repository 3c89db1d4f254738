import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADA, BEN, CARLA, listening } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../scripts/dist/move/main.js', import.meta.url));
const [OLD, NEW] = ['the-token-of-the-old-one', 'the-token-of-the-new-one'];

let from: Stack;
let to: Stack;
beforeAll(async () => {
  from = await Stack.start({ settings: { CHAT_WEB_TOKEN: OLD } });
  to = await Stack.start({ sharesSimulatorOf: from, settings: { CHAT_WEB_TOKEN: NEW } });
  await from.link('main', ADA);
});
afterAll(async () => {
  await to[Symbol.asyncDispose]();
  await from[Symbol.asyncDispose]();
});

/** Runs the tool to its end. */
function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  return new Promise<{ code: number; output: string }>((resolve) => {
    const { PATH = '' } = process.env;
    const child = execFile(process.execPath, [MAIN, ...args], { env: { PATH, ...env } }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}
const tokens = { FROM_TOKEN: OLD, TO_TOKEN: NEW };
const move = (env: Readonly<Record<string, string>> = tokens, session = 'main') =>
  run(['--from', from.gateway.url, '--to', `${to.gateway.url}/`, '--session', session], env);
const statusOf = async (stack: Stack, id = 'main') => (await stack.client.getSessionStatus({ id })).status;

describe('chat-web move', () => {
  it('stops nothing if the new gateway would not accept the session', async () => {
    const wrong = await move({ ...tokens, TO_TOKEN: 'wrong' });
    expect(wrong).toMatchObject({ code: 1, output: expect.stringMatching(/token/) });
    const { key } = await to.client.createKey({ name: 'weak', sessions: ['*'], scope: 'send' });
    const weak = await move({ ...tokens, TO_TOKEN: key });
    expect(weak).toMatchObject({ code: 1, output: expect.stringContaining('does not accept the session') });
    expect(await statusOf(from)).toBe('ready');
    expect(weak.output).not.toContain(key);
  });

  it('reports where the session is if the new gateway is gone, and resumes when it is run again', async () => {
    await from.client.exportSession({ id: 'main' }).then(({ data }) => data.cancel()); // Interrupted there.
    await to.gateway.end('SIGKILL');
    const failed = await move();
    expect(failed).toMatchObject({ code: 1, output: expect.stringContaining(`${from.gateway.url}: moved`) });
    expect(failed.output).toContain(`${to.gateway.url}: no answer`);
    await to.restartGateway();
    const moved = await move();
    expect(moved).toMatchObject({ code: 0, output: expect.stringContaining(`main: ready on ${to.gateway.url}`) });
    expect(await Promise.all([statusOf(from), statusOf(to)])).toEqual(['moved', 'ready']);
    await to.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'moved' });
  });

  it('does nothing if the session has arrived, and reads tokens from files', async () => {
    const files = { FROM_TOKEN_FILE: join(from.dataDir, 'token'), TO_TOKEN_FILE: join(to.dataDir, 'token') };
    await writeFile(files.FROM_TOKEN_FILE, `${OLD}\n`);
    await writeFile(files.TO_TOKEN_FILE, `${NEW}\n`);
    const again = await move(files);
    expect(again.code).toBe(0);
    expect(again.output).not.toMatch(/stopping|sending/);
    expect(await move(tokens, 'unknown')).toMatchObject({
      code: 1,
      output: expect.stringContaining('no session unknown'),
    });
  });

  it('starts nothing to find out whether it has arrived', async () => {
    await to.client.stopSession({ id: 'main' });
    const stopped = await move();
    expect(stopped).toMatchObject({ code: 1, output: expect.stringContaining(`is stopped on ${to.gateway.url}`) });
    expect(await Promise.all([statusOf(from), statusOf(to)])).toEqual(['moved', 'stopped']);
    await to.client.startSession({ id: 'main' });
    expect(await move()).toMatchObject({ code: 0 });
  });

  it('does not assume another account if the id differs or cannot be compared', async () => {
    const folder = join(from.dataDir, 'sessions/main');
    const [marker, storage] = [join(folder, 'linked.json'), join(folder, 'session/Default/Local Storage/leveldb')];
    const saved = await readFile(marker, 'utf8');
    const refused = async () => {
      const { code, output } = await move();
      expect(code).toBe(1);
      expect(output).toContain(`cannot tell whether session main on ${to.gateway.url} is the one that moved from`);
      expect(output).toContain('compare GET /sessions/main/info there with the phone before you change anything\n');
      expect(output).not.toMatch(/another account|delete|take/);
      return output;
    };
    await writeFile(marker, saved.replace(/"wid":"[^"]*"/, '"wid":"81604523377101@lid"'));
    await refused();
    await writeFile(marker, '{}');
    await refused();
    await writeFile(marker, saved);
    await symlink(marker, join(storage, 'link'));
    expect(await refused()).toContain('cannot be exported');
    await rm(join(storage, 'link'));
    expect(await Promise.all([statusOf(from), statusOf(to)])).toEqual(['moved', 'ready']);

    await writeFile(join(storage, '999999.log'), Buffer.alloc(32_000_000)); // More than is in transit at once.
    expect(await move()).toMatchObject({ code: 0 });
    const [unsent] = from.gateway.log.filter((line) => line.includes('archive not sent completely'));
    expect(unsent).toContain('"hint":"if it has not arrived: export it again, or take it back"');
  });

  it('does not confuse another account under the same id with the moved one', async () => {
    await from.link('shop', CARLA);
    await from.client.exportSession({ id: 'shop' }).then(({ data }) => data.cancel()); // Interrupted there.
    await to.link('shop', BEN);
    const refused = await move(tokens, 'shop');
    expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(/shop on .* belongs to another account/) });
    expect(refused.output).toContain(
      'before you change anything; if it is another one, move it away and run this again',
    );
    expect(refused.output).not.toMatch(/ready on|delete/);
    expect(refused.output).not.toContain(BEN);
    expect(await Promise.all([statusOf(from, 'shop'), statusOf(to, 'shop')])).toEqual(['moved', 'ready']);
    await to.client.deleteSession({ id: 'shop' });
    expect(await move(tokens, 'shop')).toMatchObject({ code: 0 });
    expect(await to.client.getSessionInfo({ id: 'shop' })).toMatchObject({ phone: CARLA });
    expect((await from.phones.account(CARLA)).devices).toHaveLength(1);
  });

  it('does not choose if the session is on both', async () => {
    await from.phones.configure({ oldKeysUnlink: false }); // Both would be unlinked.
    await from.client.startSession({ id: 'main', takeBack: true });
    expect(await move()).toMatchObject({ code: 1, output: expect.stringContaining('on both gateways') });
  });

  it('stops cleanly when the terminal is closed', async () => {
    let requests = 0;
    const mute = createServer((_, response) => {
      requests += 1;
      if (requests > 1) response.writeHead(401).end('{}'); // The last request.
    });
    const url = `http://127.0.0.1:${await listening(mute)}`;
    const tool = spawn(process.execPath, [MAIN, '--from', url, '--to', `${url}/new`, '--session', 'main']);
    const ended = once(tool, 'exit');
    await once(mute, 'request');
    tool.stdout.destroy();
    tool.stderr.destroy();
    tool.kill('SIGHUP');
    expect(await ended).toEqual([130, null]);
    mute.close();
  });

  it.each([
    [['--from', 'http://example.com', '--to', 'http://127.0.0.1:1', '--session', 'main'], '--from must be https'],
    [['--from', 'http://127.0.0.1:1', '--to', 'http://10.0.0.1', '--session', 'main'], '--to must be https'],
    [['--from', 'https://x:y@example.com', '--to', 'https://b.example', '--session', 'main'], 'FROM_TOKEN'],
    [['--from', 'https://a.example', '--to', 'https://a.example/', '--session', 'main'], 'the same gateway'],
    [['--from', 'https://a.example', '--to', 'https://b.example', '--session', '../x'], '--session must be'],
    [['--from', 'https://a.example', '--to', 'https://b.example', '--token', 'x'], 'token'],
    [[], 'are required'],
  ])('%j is wrong usage', async (args, why) => {
    expect(await run(args, {})).toMatchObject({ code: 2, output: expect.stringContaining(why) });
  });
});
