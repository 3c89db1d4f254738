import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ADA, BEN, postgresPrograms } from '@chat-web/testing';
import { Hosts, type Stack } from '@chat-web/testing/stack';
import { type Benchmark, burstOf, type Figures, median } from './benchmark.ts';
import { sendMedia, timed } from './downloads.ts';
import { Poster } from './poster.ts';
import { QUICK } from './stack.ts';

const SESSION = 's00';
const MB = 1_000_000;
const PARTS = 8;
const TEXTS = 25;
const BURST = 50;
const IN_FLIGHT = 8;
const WARM_UP = 100;
const [UP_MB, DOWN_MB] = [64, 40];
const TRANSFERS = 5;
const SETTLE_MS = 2_000;
const MEDIA_MS = 60_000;

const TEXT = 'a send, p50';
const RATE = `sends/s, ${IN_FLIGHT} at once`;
const UP = `an upload of ${UP_MB} MB`;
const DOWN = `a download of ${DOWN_MB} MB`;
const OWNER_PEAK = 'memory peak of the front process of the session while they last';
const PEAK = 'the same of the front process that is asked';

/** Requests for a session of another host. The other side: the gateway that has the session is asked. */
export const forwarding: Benchmark = {
  name: 'forwarding',
  rounds: 4,
  goals: [
    { figure: TEXT, unit: 'ms', limit: (direct) => (direct[TEXT] ?? 0) + 1.5, text: '≤ direct + 1.5 ms' },
    { figure: RATE, unit: '1/s', limit: (direct) => 0.9 * (direct[RATE] ?? 0), text: '≥ 0.9 × direct', isMin: true },
    { figure: UP, unit: 'ms', limit: (direct) => 1.3 * (direct[UP] ?? 0), text: '≤ 1.3 × direct' },
    { figure: DOWN, unit: 'ms', limit: (direct) => 1.3 * (direct[DOWN] ?? 0), text: '≤ 1.3 × direct' },
    { figure: OWNER_PEAK, unit: 'MB', limit: (direct) => (direct[OWNER_PEAK] ?? 0) + 32, text: '≤ direct + 32 MB' },
    { figure: PEAK, unit: 'MB', limit: (direct) => (direct[PEAK] ?? 0) + 32, text: '≤ direct + 32 MB' },
  ],
  round: (turn) => (postgresPrograms() ? round(turn) : Promise.resolve({ ours: {}, bare: {} })),
};

async function round(turn: number) {
  await using hosts = await Hosts.start(['a', 'b'], { simulator: QUICK, settings: { CHAT_WEB_LOG_LEVEL: 'info' } });
  const [first] = hosts.all;
  await first.link(SESSION, ADA);
  const { sessions } = await first.client.listSessions();
  const owner = hosts.at(sessions[0]?.host ?? '');
  const other = hosts.at(owner === hosts.at('a') ? 'b' : 'a');
  const document = await receive(owner, DOWN_MB);
  const [ours, bare] = [new Side(other, owner), new Side(owner, owner)];
  const sides = turn % 2 === 0 ? [ours, bare] : [bare, ours];
  // In small parts, in turns: a page is slower the more it has sent.
  for (const side of sides) await side.texts(WARM_UP);
  for (let part = 0; part < PARTS; part += 1) for (const side of sides) await side.texts(TEXTS);
  for (let part = 0; part < PARTS; part += 1) for (const side of sides) await side.burst(BURST);
  for (const side of sides) await side.transfer(document);
  return { ours: ours.figures(), bare: bare.figures() };
}

/** Resolves with the id of a document that a session has received. */
async function receive(owner: Stack, megabytes: number): Promise<string> {
  const log = await owner.listen(SESSION);
  await sendMedia(owner.phones, megabytes);
  const { id } = await log.until('message', ({ hasMedia }) => hasMedia, MEDIA_MS);
  log.close();
  return id;
}

/** Requests to one of the gateways. */
class Side {
  readonly #poster: Poster;
  readonly #fronts: readonly number[];
  readonly #times: number[] = [];
  #burstMs = 0;
  #transfers: Figures = {};

  constructor(asked: Stack, owner: Stack) {
    this.#poster = new Poster(asked.address);
    this.#fronts = [owner, asked].map(({ gateway }) => gateway.pid);
  }

  async texts(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) this.#times.push(await this.#poster.timed(SESSION, `text ${n}`));
  }

  async burst(count: number): Promise<void> {
    this.#burstMs += await burstOf([SESSION], count, IN_FLIGHT, (_, n) => this.#poster.send(SESSION, `text ${n}`));
  }

  async transfer(document: string): Promise<void> {
    const base64 = randomBytes(UP_MB * MB).toString('base64');
    const body = Buffer.from(JSON.stringify({ type: 'document', to: BEN, mimeType: 'application/pdf', base64 }));
    const up = await this.#timed(() => this.#poster.post(`/sessions/${SESSION}/messages`, body));
    const down = await this.#timed(async () => {
      const length = await this.#poster.get(`/sessions/${SESSION}/messages/${document}/media`);
      if (length !== DOWN_MB * MB) throw new Error(`${length} bytes came instead of ${DOWN_MB * MB}`);
    });
    const [ofOwner = 0, ofAsked = 0] = this.#fronts.map((_, n) => Math.max(up.moreMb[n] ?? 0, down.moreMb[n] ?? 0));
    this.#transfers = { [UP]: up.ms, [DOWN]: down.ms, [OWNER_PEAK]: ofOwner, [PEAK]: ofAsked };
  }

  async #timed(transfer: () => Promise<unknown>) {
    await transfer();
    await delay(SETTLE_MS);
    return timed(transfer, TRANSFERS, this.#fronts);
  }

  figures(): Figures {
    this.#poster.close();
    const times = this.#times.slice(WARM_UP);
    return { [TEXT]: median(times), [RATE]: (PARTS * BURST * 1_000) / this.#burstMs, ...this.#transfers };
  }
}
