import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { ADA, BEN, Example, eventually, listening } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

const TOKEN = 'a-token-that-no-command-line-shows';
const hasPython = spawnSync('python3', ['--version']).status === 0;

const stack = sharedStack({ settings: { CHAT_WEB_TOKEN: TOKEN } });
const folder = sharedFolder();
let url: string;

function example(interpreter: 'sh' | 'python3', name: string, ...args: string[]): Example {
  const auth = { GATEWAY_URL: url, GATEWAY_AUTH: join(folder, 'auth'), GATEWAY_TOKEN: TOKEN };
  return new Example([interpreter, name, ...args], auth);
}

/** Whether a command line on this machine shows the token to every user. */
function isOnCommandLine(token: string): boolean {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.some((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(token);
    } catch {
      return false; // It has exited.
    }
  });
}

async function restart(whileDown: () => Promise<unknown> = async () => {}): Promise<void> {
  await stack.gateway.end('SIGKILL'); // Unless it is already killed.
  await whileDown();
  await stack.restartGateway({ CHAT_WEB_PORT: new URL(url).port });
  await stack.untilStatus('main', 'ready');
}

/** The messages with this body on the phone, once there is one. */
const onPhone = (body: string) =>
  eventually(async () => {
    const found = (await stack.phones.messages(BEN)).filter((message) => message.body === body);
    if (found.length === 0) throw new Error(`"${body}" is not on the phone`);
    return found;
  });
/** The bodies of the messages among the printed events. */
const bodies = (lines: readonly string[]) =>
  lines.flatMap(
    (line) =>
      /^message\t.*"body": ?"([^"]*)"|"name": "message".*"body": ?"([^"]*)"/.exec(line)?.slice(1).filter(Boolean) ?? [],
  );
const written = (count: number, name: string) => Array.from({ length: count }, (_, index) => `${name} ${index}`);

beforeAll(async () => {
  await writeFile(join(folder, 'auth'), `Authorization: Bearer ${TOKEN}\n`);
  url = stack.gateway.url;
});

it('curl/link.sh links an account by the QR in its file, and removes the file', async () => {
  const png = join(folder, 'qr.png');
  await using link = example('sh', 'curl/link.sh', 'main', png);
  await link.line(/^Open .*qr\.png/);
  expect(isOnCommandLine(TOKEN)).toBe(false);
  await stack.phones.scan(ADA, `data:image/png;base64,${readFileSync(png, 'base64')}`);
  expect({ code: await link.exitCode, errors: link.errors }).toEqual({ code: 0, errors: [] });
  expect(link.out.at(-1)).toBe('session main is ready');
  expect(existsSync(png)).toBe(false);
});

describe.each([
  [
    'curl',
    'sh',
    'curl/events.sh',
    (key: string, body: string) =>
      example('sh', 'curl/send.sh', 'main', key, JSON.stringify({ type: 'text', to: BEN, body })),
  ],
  [
    'python',
    'python3',
    'python/events.py',
    (key: string, body: string) => example('python3', 'python/send.py', key, `+${BEN}`, body),
  ],
] as const)('%s', (name, interpreter, events, send) => {
  beforeEach(({ skip }) => skip(interpreter === 'python3' && !hasPython, 'python3 is not installed'));

  it('sends once per key, also while the gateway is killed and restarted', async () => {
    const body = `Olá "${name}" 👋`;
    await using first = send(`${name}-1`, body);
    expect({ code: await first.exitCode, errors: first.errors }).toEqual({ code: 0, errors: [] });
    await using again = send(`${name}-1`, body);
    expect(await again.exitCode).toBe(0);
    expect(again.out).toEqual(first.out);
    expect(await onPhone(body)).toHaveLength(1);

    await stack.gateway.end('SIGKILL');
    await using late = send(`${name}-2`, `${name} late`);
    await restart();
    expect({ code: await late.exitCode, errors: late.errors }).toMatchObject({ code: 0 });
    expect(await onPhone(`${name} late`)).toHaveLength(1);
  });

  it('reports why a message is refused, and does not retry', async () => {
    await using other = send(`${name}-1`, 'something else');
    expect(await other.exitCode).toBe(1);
    expect(other.errors.join('\n')).toMatch(/422/);
  });

  it('follows events over a restart of the gateway and of itself, without a loss', async () => {
    const position = join(folder, `${name}-position`);
    const wanted = written(30, name);
    const printed: string[] = [];
    const sendThem = async (from: number, to: number) => {
      for (const body of wanted.slice(from, to)) await stack.phones.send(BEN, { to: ADA, body });
    };
    const until = (follow: Example, body: string) => eventually(() => expect(bodies(follow.out)).toContain(body));

    await using before = example(interpreter, events, position);
    await sendThem(0, 10);
    await until(before, `${name} 9`);
    await restart(() => sendThem(10, 15));
    await until(before, `${name} 14`);
    await before.kill();
    printed.push(...bodies(before.out));

    await sendThem(15, 20);
    await using after = example(interpreter, events, position);
    await sendThem(20, 30);
    await until(after, `${name} 29`);
    expect(await after.interrupt()).toBe(0);
    printed.push(...bodies(after.out));

    // Only the event in progress when the program was killed may be repeated.
    const ours = printed.filter((body) => body.startsWith(`${name} `));
    expect([...new Set(ours)]).toEqual(wanted);
    expect(ours.length).toBeLessThanOrEqual(wanted.length + 1);
    expect(readFileSync(position, 'utf8')).toMatch(/^[0-9a-f]+-\d+\n?$/);
  });

  it('resumes after the last complete event if a stream breaks within one', async () => {
    const parts = [
      ['event: message\nid: e-1\ndata: {"n":1}\n\n', 'id: e-2\nevent: message\ndata: {"n":', '2}'],
      ['id: e-3\n: keepalive\n\n', 'id: e-4\nevent: message\n'],
      ['id: e-5\nevent: message\ndata: {"n":5}\n'],
      ['id: e-6\nevent: message\ndata: {"n":6}\n\n'],
    ];
    const asked: unknown[] = [];
    const server = createServer(({ headers }, response) => {
      asked.push(headers['last-event-id']);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for (const part of parts[asked.length - 1] ?? []) response.write(part);
      if (asked.length < parts.length) setTimeout(() => response.destroy(), 100);
    });
    const port = await listening(server);
    try {
      await using follow = new Example([interpreter, events, join(folder, `${name}-broken`)], {
        GATEWAY_URL: `http://127.0.0.1:${port}`,
        GATEWAY_AUTH: join(folder, 'auth'),
      });
      await follow.line(/"n": ?6/);
      expect(asked).toEqual([undefined, 'e-1', 'e-3', 'e-3']);
      expect(follow.out.map((line) => /"n": ?(\d)/.exec(line)?.[1])).toEqual(['1', '6']);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('exits if a retry cannot help', async () => {
    await writeFile(join(folder, 'auth-wrong'), 'Authorization: Bearer wrong\n');
    await using follow = new Example([interpreter, events, join(folder, 'position')], {
      GATEWAY_URL: url,
      GATEWAY_AUTH: join(folder, 'auth-wrong'),
      GATEWAY_TOKEN: 'wrong',
    });
    expect({ code: await follow.exitCode, out: follow.out }).toEqual({ code: 1, out: [] });
    expect(follow.errors.join('\n')).toContain('unauthorized');
  });
});
