import { readdirSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '@chat-web/host';
import { findBrowser } from '@chat-web/worker/browser';
import { launch, type Page } from 'puppeteer';
import type { Benchmark, Figures } from './benchmark.ts';
import { type FrontServer, frontSessions, startFrontGateway, TOKEN } from './front.ts';

const SESSIONS = 300;
const WATCH_MS = 20_000;
/** A session is stopped and started again this often, as on a busy host. */
const CHANGE_EVERY_MS = 1_000;
const FILES = fileURLToPath(new URL('.', import.meta.resolve('@chat-web/console/console/index.html')));
const KB = 1_024;

const PROCESSOR = `front process with ${SESSIONS} sessions, of a core`;
const SIZE = 'all files, compressed';
const PAINT = 'first paint';
const LIST = `until ${SESSIONS} sessions are listed`;
const FRAME = 'slowest frame while the list is scrolled';

/** The console in a browser on a gateway with 300 sessions, compared with the same gateway without a viewer. */
export const console300: Benchmark = {
  name: 'console',
  rounds: 1,
  goals: [
    { figure: PROCESSOR, unit: '%', limit: (bare) => (bare[PROCESSOR] ?? 0) + 5, text: '≤ unwatched + 5' },
    { figure: SIZE, unit: 'KB', limit: () => 150, text: '≤ 150' },
    { figure: PAINT, unit: 'ms' },
    { figure: LIST, unit: 'ms' },
    { figure: FRAME, unit: 'ms' },
  ],
  round: async () => {
    const server = await startFrontGateway(SESSIONS);
    try {
      await delay(WATCH_MS); // Waits until the starts are complete.
      const bare = { [PROCESSOR]: await processorShare(server) };
      return { bare, ours: await watched(server) };
    } finally {
      await server.end();
    }
  },
};

async function watched(server: FrontServer): Promise<Figures> {
  const browser = await launch({
    executablePath: findBrowser({ env: process.env }),
    args: [
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
    pipe: true,
  });
  try {
    const page = await browser.newPage();
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto(`${server.url}/console/icon.svg`).catch(() => {});
    await page.evaluate(`sessionStorage.setItem('chat-web.token', ${JSON.stringify(TOKEN)})`);
    await page.goto(`${server.url}/console/`);
    await page.waitForFunction(`document.querySelectorAll('tbody tr').length === ${SESSIONS}`, { polling: 10 });
    const listMs = (await page.evaluate('performance.now()')) as number;
    const paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime";
    return {
      [PAINT]: (await page.evaluate(paint)) as number,
      [LIST]: listMs,
      [FRAME]: await slowestFrame(page),
      [PROCESSOR]: await processorShare(server),
      [SIZE]: compressedBytes() / KB,
    };
  } finally {
    await browser.close();
  }
}

/** Processor time of the front process, in percent of a core, while sessions come and go. */
async function processorShare(server: FrontServer): Promise<number> {
  const client = createClient({ url: server.url, token: TOKEN });
  const [before, startedAt] = [await server.usage(), performance.now()];
  for (const id of frontSessions(WATCH_MS / CHANGE_EVERY_MS)) {
    await client.stopSession({ id });
    await client.startSession({ id });
    await delay(CHANGE_EVERY_MS - ((performance.now() - startedAt) % CHANGE_EVERY_MS));
  }
  const after = await server.usage();
  const usedMs = after.userMs + after.systemMs - before.userMs - before.systemMs;
  return (100 * usedMs) / (performance.now() - startedAt);
}

/** Scrolls from the top to the end within 3 s. */
function slowestFrame(page: Page): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    const [startedAt, height] = [performance.now(), document.documentElement.scrollHeight];
    let [last, slowest] = [startedAt, 0];
    const frame = (now) => {
      slowest = Math.max(slowest, now - last);
      last = now;
      scrollTo(0, (height * (now - startedAt)) / 3000);
      if (now - startedAt < 3000) requestAnimationFrame(frame);
      else resolve(slowest);
    };
    requestAnimationFrame(frame);
  })`) as Promise<number>;
}

function compressedBytes(): number {
  const files = readdirSync(FILES).filter((name) => name.endsWith('.br'));
  return files.reduce((sum, name) => sum + statSync(FILES + name).size, 0);
}
