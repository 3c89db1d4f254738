import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { argsOf, Journal, processIds } from '@chat-web/gateway/tools';
import { createClient } from '@chat-web/host';
import { GatewayError } from '@chat-web/protocol';
import { freshFolder } from '@chat-web/testing/hooks';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { oneLine, quoted, reasonOf } from '../../scripts/command-line.ts';
import { Report, textPrinter } from '../../scripts/doctor/report.ts';
import { moveSession } from '../../scripts/move/move-session.ts';
import { startOwnGateway } from '../../scripts/own-gateway.ts';

const script = (name: string) => fileURLToPath(new URL(`../../scripts/dist/${name}.js`, import.meta.url));
const NEVER = new AbortController().signal;
const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const FORGED = 'Done. Nothing of the session is left on this computer.';
/** Clears the screen, sets a title, and begins lines: by each kind of line break, and by filling a row with blanks. */
const HOSTILE = `"\u001b[2J\u001b]0;x\u0007\u009b31m\u202e\r\n${FORGED}\u2028${FORGED}\u0085${' '.repeat(80)}${FORGED}"`;
const folder = freshFolder();

describe('a line for a terminal', () => {
  const any = fc.string({ unit: 'binary', maxLength: 200 });

  it('has no control characters, line breaks or changes of direction; as JSON it stays the same', () => {
    fc.assert(
      fc.property(any, (text) => {
        expect(oneLine(text)).not.toMatch(CONTROL);
        expect(JSON.parse(oneLine(JSON.stringify({ [text]: text })))).toEqual({ [text]: text });
      }),
    );
    expect(oneLine('a Ä 漢 👍')).toBe('a Ä 漢 👍');
    expect(oneLine('\u001b[1m\u009b\u{e0041}')).toBe('\\u001b[1m\\u009b\\udb40\\udc41');
  });

  it('quotes what others have written so that it cannot end the quote, or fill a row', () => {
    fc.assert(
      fc.property(any, (text) => {
        expect(quoted(text)).toMatch(/^"[^"]*"$/);
        expect(quoted(text)).not.toMatch(/\s\s/);
        expect(quoted(text).length).toBeLessThanOrEqual(302);
      }),
    );
    expect(reasonOf(new GatewayError('not_permitted', 'no'))).toBe('"no"');
    expect(reasonOf(new GatewayError('internal_error', 'not reached', { status: null }))).toBe('not reached');
  });
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

/** A gateway that answers each path with this, and any other with 404. */
async function gatewayWith(answers: Readonly<Record<string, readonly [status: number, body: object]>>) {
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    const unknown = [404, { error: 'no such session', code: 'session_not_found' }] as const;
    const [status, body] = answers[`${incoming.method} ${incoming.url}`] ?? unknown;
    outgoing.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ready = { id: 'main', status: 'ready', since: '2026-11-23T04:00:00.000Z', restarts: 0 };
const hostile = { 'PUT /sessions/main/import': [403, { error: HOSTILE, code: 'insufficient_scope' }] } as const;

/** What a command prints at a terminal. */
function run(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return new Promise<string>((resolve) => {
    const { PATH = '' } = process.env;
    execFile(process.execPath, [script(name), ...args], { env: { PATH, ...env } }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

function expectHarmless(output: string): void {
  // It was printed, and is part of a line of ours.
  expect(output).toContain(FORGED);
  for (const line of output.split('\n')) {
    expect(line).not.toMatch(CONTROL);
    expect(line).not.toMatch(/^.{0,20}Done\./);
    expect(line).not.toMatch(/ {40}/);
  }
}

it.each(['\u001b[2J', 'Done.', ' '.repeat(40)])('what would do harm is seen: %j', (harm) => {
  const ours = `a line of ours with this in it: ${FORGED}`;
  expectHarmless(ours);
  expect(() => expectHarmless(`${ours}\n${harm}`)).toThrow();
});

describe('a gateway that answers with lines and escape sequences', () => {
  it('controls nothing on the terminal of npm run move', async () => {
    const from = await gatewayWith({ 'GET /sessions/main/status': [200, ready] });
    const to = await gatewayWith(hostile);
    expectHarmless(await run('move/main', ['--from', from, '--to', to, '--session', 'main']));
  });

  it('begins no line of npm run move that is tried again', async () => {
    const from = await gatewayWith({ 'GET /sessions/main/status': [500, { error: HOSTILE, code: 'internal_error' }] });
    const [lines, over] = [[] as string[], new AbortController()];
    const say = (line: string) => {
      lines.push(line);
      over.abort();
    };
    const endOf = (url: string) => ({ url, address: { url } });
    const options = { from: endOf(from), to: endOf(await gatewayWith({})), session: 'main' };
    expect(await moveSession(options, say, over.signal)).toBe(false);
    expectHarmless(lines.map(oneLine).join('\n'));
    expect(lines[0]).toMatch(/^trying again after an error: /);
  });

  it('controls nothing on the terminal of npm run link', async () => {
    const output = await run('link/main', ['--gateway', await gatewayWith(hostile), '--session', 'main'], {
      XDG_STATE_HOME: folder,
    });
    expectHarmless(output);
    expect(output).toContain('nothing is left on this computer: run this again to start over\n');
  });

  it('begins no line of a report of npm run doctor', async () => {
    const lines: string[] = [];
    const report = new Report(
      textPrinter((line) => lines.push(oneLine(line))),
      NEVER,
    );
    report.add({ check: `page: ${HOSTILE}`, result: 'warn', detail: HOSTILE, todo: 'see above' });
    await report.check('chats', () => Promise.reject(new GatewayError('client_failed', HOSTILE)));
    lines.push(...report.summaryText({ page: HOSTILE, isInterrupted: false }).trim().split('\n'));
    expectHarmless(lines.join('\n'));
  });
});

it('a journal that another program has written to controls nothing on the terminal of npm run journal', async () => {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const options = { dir: join(folder, 'journal'), folds: [], maxBytes: 1e9, maxAgeMs: 1e9, log };
  const journal = await Journal.open(options);
  const event = { kind: 'event', name: 'message', key: '' } as const;
  await journal.append({ ...event, session: 'main', text: JSON.stringify({ body: HOSTILE }) });
  await journal.append({ ...event, session: `\u001b[2J\r${FORGED}`, text: `1}\n${FORGED}` });
  await journal.close();
  const [dump, stats] = [
    await run('journal', ['dump', '--dir', folder]),
    await run('journal', ['stats', '--dir', folder]),
  ];
  for (const output of [dump, stats]) for (const line of output.split('\n')) expect(line).not.toMatch(CONTROL);
  expect(JSON.parse(dump.split('\n', 1)[0] ?? '')).toMatchObject({ session: 'main', data: { body: HOSTILE } });
  expect(`${dump}${stats}`).toContain(FORGED);
  expect(`${dump}${stats}`).not.toMatch(/^Done/m);
});

it('the gateway behind a tool has its token as a hash only, in its environment and arguments', async () => {
  const own = await startOwnGateway(
    { ...process.env, CHAT_WEB_TOKEN: 'of-another' },
    { CHAT_WEB_DATA_DIR: folder },
    NEVER,
  );
  try {
    const { token = '' } = own.address;
    const seen = processIds().flatMap((pid) => {
      const environment = environmentOf(pid);
      return environment.includes(`CHAT_WEB_DATA_DIR=${folder}`)
        ? [`${environment}${argsOf(pid, 4_096).join('\0')}`]
        : [];
    });
    expect(seen.length).toBeGreaterThan(0);
    for (const text of seen) {
      expect(text).toMatch(/CHAT_WEB_TOKEN=sha256:[0-9a-f]{64}\0/);
      expect(text).not.toContain(token);
      expect(text).not.toContain('of-another');
    }
    expect((await createClient(own.address).listSessions()).sessions).toEqual([]);
    const wrong = createClient({ ...own.address, token: 'wrong' }).listSessions();
    await expect(wrong).rejects.toMatchObject({ code: 'unauthorized' });
  } finally {
    await own.end();
  }
});

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return ''; // It has exited, or is of another user.
  }
}
