import { fork } from 'node:child_process';
import { on } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openEventStream } from '@chat-web/host';
import { type SimulatorClient, startSimulator } from '@chat-web/simulator';
import { findBrowser } from '@chat-web/worker/browser';
import { measureTree, type SessionMemory, workerOf } from './memory.ts';
import { FRIEND, link, OWN_NUMBER, withWorld } from './world.ts';

/** The memory of one session: as the gateway runs it, and as the library runs it alone. */

const EVENTS = 1_000;
const MEDIA_BYTES = 16 * 1_048_576;
const SETTLE_MS = 5_000;
const QUICK = { ackDelayMs: 0, pairDelayMs: 0, syncDelayMs: 0 };
const SHELL = '/usr/bin/chromium-headless-shell';

/** A session to measure, however it is run. */
interface Subject {
  readonly workerPid: number;
  readonly phones: SimulatorClient;
  /** Waits for the message with media, and downloads it to the process. */
  download(): Promise<void>;
}

const rows: Record<string, Record<string, number>> = {};
rows['whatsapp-web.js alone'] = await bare();
rows['a session of the gateway'] = await ours({});
if (existsSync(SHELL)) rows['the same with CHAT_WEB_HEADLESS_SHELL'] = await ours({ CHAT_WEB_HEADLESS_SHELL: 'true' });
console.log(
  `one session, MB: process (USS) and browser (Pss_Anon + Pss_Shmem), ${SETTLE_MS / 1_000} s after each step`,
);
console.table(rows);

async function ours(settings: Record<string, string>): Promise<Record<string, number>> {
  return withWorld(
    async (world) => {
      await link(world, 'bench');
      const over = new AbortController();
      const events = await openEventStream(world.gateway, 'bench', over.signal);
      const media = (async () => {
        for await (const event of events) if (event.name === 'message' && event.data.hasMedia) return event.data.id;
        throw new Error('the stream ended');
      })();
      const row = await measure({
        workerPid: workerOf(world.gateway.pid),
        phones: world.simulator.phones,
        download: async () => {
          const file = await world.client.getMedia({ id: 'bench', messageId: await media });
          await file.data.pipeTo(new WritableStream());
        },
      });
      over.abort();
      return row;
    },
    QUICK,
    settings,
  );
}

async function bare(): Promise<Record<string, number>> {
  const dataPath = mkdtempSync(join(tmpdir(), 'chat-web-bench-'));
  const { browserArgs, phones, close } = await startSimulator({ settings: QUICK });
  const options = { dataPath, browserPath: findBrowser({ env: process.env }), browserArgs };
  const child = fork(new URL('./bare-client.js', import.meta.url), [JSON.stringify(options)]);
  const told = on(child, 'message');
  const until = async (name: string) => {
    for await (const [message] of told) {
      const { qr } = message as { qr?: string };
      if (qr && name === 'ready' && !qr.startsWith('undefined')) await phones.scan(OWN_NUMBER, qr);
      if (name in message) return;
    }
  };
  try {
    await until('ready');
    return await measure({ workerPid: child.pid ?? 0, phones, download: () => until('downloaded') });
  } finally {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.disconnect();
    await gone;
    await close();
    rmSync(dataPath, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function measure({ workerPid, phones, download }: Subject): Promise<Record<string, number>> {
  await delay(SETTLE_MS);
  const idle = measureTree(workerPid);
  for (let n = 0; n < EVENTS; n += 1) await phones.send(FRIEND, { to: OWN_NUMBER, body: `message ${n}` });
  await delay(SETTLE_MS);
  const afterEvents = measureTree(workerPid);
  const media = {
    kind: 'document',
    mimeType: 'application/pdf',
    base64: Buffer.alloc(MEDIA_BYTES, 7).toString('base64'),
  } as const;
  await phones.send(FRIEND, { to: OWN_NUMBER, media });
  await download();
  await delay(SETTLE_MS);
  const afterMedia = measureTree(workerPid);
  return {
    'process, idle': whole(idle.workerMb),
    [`after ${EVENTS} messages`]: whole(afterEvents.workerMb),
    'after 16 MB of media': whole(afterMedia.workerMb),
    'browser, idle': whole(idle.browserMb),
    'browser processes': idle.browserProcesses,
    'both, idle': whole(total(idle)),
    'both, at the end': whole(total(afterMedia)),
  };
}

function total({ workerMb, browserMb }: SessionMemory): number {
  return workerMb + browserMb;
}

function whole(value: number): number {
  return Math.round(value);
}
