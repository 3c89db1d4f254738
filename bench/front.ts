import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@chat-web/host';
import type { Benchmark } from './benchmark.ts';
import type { ProcessUsage } from './front-process.ts';
import { load, openStream, type RawRequest } from './raw-client.ts';

/**
 * The front process compared with a bare route of Hono: workers answer at once, so that only the front process is
 * measured.
 */

export const TOKEN = 'bench-token-0123456789abcdef';
const SENDERS = 16;
const SLICE_MS = 1_000;
/** V8 compiles hot code within the first seconds. */
const WARM_MS = 3_000;

/** One measurement: requests answered per second, and the server's processor time per request. */
interface Rate {
  readonly perSecond: number;
  readonly processorMs: number;
}

/**
 * One round: GET status on a bare route and on the gateway; sends through the gateway with an open stream, as many as
 * possible, and 16 that take 100 ms each, as with a browser.
 */
interface FrontRound {
  readonly bare: Rate;
  readonly status: Rate;
  readonly send: Rate;
  readonly pacedSend: Rate;
}

export interface FrontServer {
  readonly url: string;
  usage(): Promise<ProcessUsage>;
  end(): Promise<void>;
}

const statusRequest: RawRequest = { method: 'GET', path: '/sessions/main/status', token: TOKEN };
const send: RawRequest = {
  method: 'POST',
  path: '/sessions/main/messages',
  token: TOKEN,
  body: { type: 'text', to: '+12025550102', body: 'How are you? We meet at eight in front of the station.' },
};

const pacedSend: RawRequest = { ...send, body: { ...send.body, body: 'after 100 ms: how are you?' } };

/** Measures one after the other, within 20 s. */
async function measureFront(): Promise<FrontRound> {
  const [bare, gateway] = await Promise.all([start('./front-bare.js', {}), startFrontGateway()]);
  const closeStream = await openStream(gateway.url, { ...statusRequest, path: '/sessions/main/events' });
  try {
    const subjects = {
      bare: [bare, statusRequest],
      status: [gateway, statusRequest],
      send: [gateway, send],
      pacedSend: [gateway, pacedSend],
    } as const;
    for (const [server, request] of Object.values(subjects)) await measureRate(server, request, WARM_MS);
    return {
      bare: await measureRate(...subjects.bare),
      status: await measureRate(...subjects.status),
      send: await measureRate(...subjects.send),
      pacedSend: await measureRate(...subjects.pacedSend),
    };
  } finally {
    closeStream();
    await Promise.all([bare.end(), gateway.end()]);
  }
}

/** Puts load on a server with 16 connections, and measures it. */
async function measureRate(server: FrontServer, request: RawRequest, forMs = SLICE_MS): Promise<Rate> {
  const [before, startedAt] = [await server.usage(), performance.now()];
  const answered = await load(server.url, request, { connections: SENDERS, forMs });
  const [after, wallMs] = [await server.usage(), performance.now() - startedAt];
  const processorMs = after.userMs + after.systemMs - before.userMs - before.systemMs;
  return { perSecond: (answered * 1_000) / wallMs, processorMs: processorMs / answered };
}

export function frontSessions(count: number): string[] {
  return Array.from({ length: count }, (_, n) => (n === 0 ? 'main' : `other-${n}`));
}

/** A gateway on which `main` and other sessions are ready. `dataDir`: its data folder; default: a new one. */
export async function startFrontGateway(
  sessions = 1,
  dataDir?: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<FrontServer> {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'chat-web-bench-'));
  const server = await start('./front-gateway.js', {
    CHAT_WEB_PORT: '0',
    CHAT_WEB_DATA_DIR: folder,
    CHAT_WEB_TOKEN: TOKEN,
    CHAT_WEB_MIN_FREE_DISK_MB: '0',
    CHAT_WEB_MIN_FREE_MEMORY_MB: '0',
    CHAT_WEB_WEBHOOK_HOSTS: '127.0.0.1',
    ...settings,
  });
  const client = createClient({ url: server.url, token: TOKEN }, { retries: 0 });
  for (const id of frontSessions(sessions)) await client.startSession({ id });
  return {
    ...server,
    end: async () => {
      await server.end();
      if (dataDir === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function start(file: string, settings: Readonly<Record<string, string>>): Promise<FrontServer> {
  const { PATH = '' } = process.env;
  const program = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(program, { env: { PATH, ...settings }, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  child.stdout?.resume(); // Its log is consumed, as by a service manager.
  const { url } = await messageOf<{ url: string }>(child);
  return {
    url,
    usage: () => {
      const used = messageOf<ProcessUsage>(child);
      child.send('?');
      return used;
    },
    end: async () => {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

async function messageOf<T>(child: ChildProcess): Promise<T> {
  const stop = new AbortController();
  const { signal } = stop;
  try {
    const exit = once(child, 'exit', { signal }).then(([code]) => Promise.reject(new Error(`a server ended: ${code}`)));
    const [message] = await Promise.race([once(child, 'message', { signal }), exit]);
    return message as T;
  } finally {
    stop.abort();
  }
}

const STATUS = 'GET status, 16 connections';
const STATUS_COST = 'its processor time';
const SEND_COST = 'a send that takes no time: processor time of the front process';
const PACED_SEND_COST = 'sends of 100 ms each, 16 at once: the same';

/** The front process alone, beside a bare route of Hono: its workers answer at once. */
export const status: Benchmark = {
  name: 'status',
  rounds: 3,
  goals: [
    { figure: STATUS, unit: '1/s', limit: (bare) => 0.5 * (bare[STATUS] ?? 0), text: '≥ 0.5 × bare', isMin: true },
    { figure: STATUS_COST, unit: 'ms' },
    { figure: SEND_COST, unit: 'ms' },
    { figure: PACED_SEND_COST, unit: 'ms' },
  ],
  round: async () => {
    const { bare, status, send, pacedSend } = await measureFront();
    return {
      ours: {
        [STATUS]: status.perSecond,
        [STATUS_COST]: status.processorMs,
        [SEND_COST]: send.processorMs,
        [PACED_SEND_COST]: pacedSend.processorMs,
      },
      bare: { [STATUS]: bare.perSecond, [STATUS_COST]: bare.processorMs },
    };
  },
};
