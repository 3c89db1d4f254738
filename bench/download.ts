import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openEventStream } from '@chat-web/host';
import type { SessionEvent } from '@chat-web/protocol';
import { findBrowser } from '@chat-web/worker/browser';
import { workerOf } from './memory.ts';
import { peakKb, resetPeak } from './probing.ts';
import { FRIEND, link, OWN_NUMBER, type World, withWorld } from './world.ts';

/** What downloads of one size cost, through the gateway and with the library alone. */
export interface DownloadFigures {
  readonly megabytes: number;
  /** GET media until its last byte is read; one time for each round, in ms. */
  readonly oursMs: readonly number[];
  /** `message.downloadMedia()` of the library alone, likewise. */
  readonly bareMs: readonly number[];
  /** The median of ours by the median of the library's. */
  readonly ratio: number;
  /** Memory peaks above the memory before the downloads, in MB. */
  readonly peakMb: { readonly worker: number; readonly front: number; readonly bare: number };
}

const SIZES_MB = [0.05, 1, 16, 40];
const ROUNDS = 7;
const SETTLE_MS = 1_500;
const MB = 1_000_000;
/** The library alone finds no message of newer builds by its id. */
const SIMULATED = { ackDelayMs: 0, pairDelayMs: 0, syncDelayMs: 0, idProperty: '_serialized' } as const;
const BARE_NUMBER = '12025550103';

/** What is measured, and the events of the gateway's session. */
interface Subjects {
  readonly world: World;
  readonly events: AsyncIterator<SessionEvent>;
  readonly bare: BareClient;
}

/** Measures downloads of each size, ours and the library's in turn, on one simulator. Takes about a minute. */
export function measureDownloads(rounds = ROUNDS, sizesMb = SIZES_MB): Promise<DownloadFigures[]> {
  return withWorld(async (world) => {
    await link(world, 'bench');
    await using bare = await BareClient.start(world);
    const over = new AbortController();
    const events = (await openEventStream(world.gateway, 'bench', over.signal))[Symbol.asyncIterator]();
    const figures: DownloadFigures[] = [];
    for (const [index, megabytes] of sizesMb.entries())
      figures.push(await measureSize({ world, events, bare }, { index, megabytes, rounds }));
    over.abort();
    return figures;
  }, SIMULATED);
}

async function measureSize(
  subjects: Subjects,
  { index, megabytes, rounds }: { index: number; megabytes: number; rounds: number },
): Promise<DownloadFigures> {
  const { world, bare } = subjects;
  const messageId = await sendToBoth(subjects, megabytes);
  const ours = () => timed(async () => readAll(world, messageId, megabytes * MB));
  await ours();
  const pids = { worker: workerOf(world.gateway.pid), front: world.gateway.pid, bare: bare.pid };
  await delay(SETTLE_MS);
  const before = Object.values(pids).map(resetPeak);
  const oursMs: number[] = [];
  const bareMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    oursMs.push(await ours());
    bareMs.push(await bare.download(index));
  }
  const [worker = 0, front = 0, ofBare = 0] = Object.values(pids).map(
    (pid, at) => (peakKb(pid) - (before[at] ?? 0)) / 1_024,
  );
  const ratio = median(oursMs) / median(bareMs);
  return { megabytes, oursMs, bareMs, ratio, peakMb: { worker, front, bare: ofBare } };
}

/** Sends a document to both accounts. Returns its id in the gateway's session, once the library has downloaded its own. */
async function sendToBoth({ world: { simulator }, events, bare }: Subjects, megabytes: number): Promise<string> {
  let arriving = events.next(); // A stream that nobody reads may be closed.
  const base64 = Buffer.alloc(megabytes * MB, 'bytes that do not compress to nothing').toString('base64');
  const media = { kind: 'document', mimeType: 'application/pdf', base64 } as const;
  for (const to of [BARE_NUMBER, OWN_NUMBER]) await simulator.phones.send(FRIEND, { to, media });
  await bare.untilDownloaded();
  for (;;) {
    const { value: event, done } = await arriving;
    if (done) throw new Error('the stream ended');
    if (event.name === 'message' && event.data.hasMedia) return event.data.id;
    arriving = events.next();
  }
}

async function readAll({ client }: World, messageId: string, size: number): Promise<void> {
  let bytes = 0;
  const { data } = await client.getMedia({ id: 'bench', messageId });
  for await (const chunk of data) bytes += chunk.length;
  if (bytes !== size) throw new Error(`${bytes} bytes came instead of ${size}`);
}

/** A process with the library alone, linked to an account of its own. */
class BareClient implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #messages: AsyncIterator<[Record<string, unknown>]>;
  readonly #dataPath: string;

  private constructor(child: ChildProcess, dataPath: string) {
    this.#child = child;
    this.#messages = on(child, 'message', { close: ['exit'] }) as AsyncIterator<[Record<string, unknown>]>;
    this.#dataPath = dataPath;
  }

  static async start({ simulator }: World): Promise<BareClient> {
    const dataPath = mkdtempSync(join(tmpdir(), 'chat-web-bench-'));
    const browserPath = findBrowser({ env: process.env });
    const options = JSON.stringify({ dataPath, browserPath, browserArgs: simulator.browserArgs });
    const bare = new BareClient(fork(new URL('./bare-client.js', import.meta.url), [options]), dataPath);
    let isReady = false;
    while (!isReady) {
      const { qr, ready } = await bare.#next();
      // The library builds the text before the page has its first reference.
      if (typeof qr === 'string' && !qr.startsWith('undefined')) await simulator.phones.scan(BARE_NUMBER, qr);
      isReady = ready === true;
    }
    return bare;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The library has downloaded the next message's media by itself. */
  async untilDownloaded(): Promise<void> {
    while (!('downloaded' in (await this.#next())));
  }

  /** Downloads the media of a message again, counted from 0 in the order in which they came. Returns the time, in ms. */
  async download(index: number): Promise<number> {
    this.#child.send({ download: index });
    for (;;) {
      const { downloadedMs } = await this.#next();
      if (typeof downloadedMs === 'number') return downloadedMs;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.disconnect();
    await exit;
    rmSync(this.#dataPath, { recursive: true, force: true, maxRetries: 3 });
  }

  async #next(): Promise<Record<string, unknown>> {
    const { value, done } = await this.#messages.next();
    if (done) throw new Error('the process with the library ended');
    return value[0];
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function seconds(times: readonly number[]): string {
  const [least, most] = [Math.min(...times), Math.max(...times)];
  return `${[median(times), least, most].map((ms) => (ms / 1_000).toFixed(3)).join(' / ')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(`downloads, ours and the library's in turn, ${ROUNDS} of each: s as median / least / most; peaks in MB`);
  const rows = (await measureDownloads()).map(({ megabytes, oursMs, bareMs, ratio, peakMb }) => ({
    MB: megabytes,
    'ours, s': seconds(oursMs),
    'library, s': seconds(bareMs),
    ratio: ratio.toFixed(2),
    'peak of worker': Math.round(peakMb.worker),
    'of front process': Math.round(peakMb.front),
    "of the library's process": Math.round(peakMb.bare),
  }));
  console.table(rows);
}
