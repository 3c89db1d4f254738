import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { eventually, fixture, listening, rawRequest } from '@chat-web/testing';
import { openBrowser } from '@chat-web/testing/browser';
import { sharedGateway } from '@chat-web/testing/story';
import type { Browser } from 'puppeteer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Runs in an attacker's page. */
const ATTACK = readFileSync(fixture('hostile-page.js'), 'utf8');
/** Some attempts are more than one request; a browser leaves out a few. */
const MIN_ARRIVED = 50;

const gateway = sharedGateway({
  settings: { CHAT_WEB_ALLOWED_HOSTS: 'gateway.lan', CHAT_WEB_BROWSER_PATH: '/bin/false' },
  sessions: ['saved'],
});
let browser: Browser;
const servers: Server[] = [];

async function serve(answer: Parameters<typeof createServer>[1]): Promise<number> {
  const server = createServer(answer);
  servers.push(server);
  return listening(server);
}

beforeAll(async () => {
  browser = await openBrowser(['attacker.lan', 'gateway.lan', 'rebound.lan']);
});
afterAll(async () => {
  await browser.close();
  for (const server of servers) server.closeAllConnections();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
});

/** Opens the attacker's page, lets it try everything, and leaves it open until it has had its effect. */
async function attackFrom(page: string, target: string, untilArrived: () => Promise<unknown>): Promise<void> {
  const tab = await browser.newPage();
  try {
    await tab.goto(page);
    expect(await tab.evaluate(`${ATTACK}; attack('${target}')`)).toBeGreaterThan(40);
    await untilArrived();
  } finally {
    await tab.close();
  }
}

const blank = () => serve((_, response) => response.setHeader('content-type', 'text/html').end('<body></body>'));

describe('a web page in a browser that can reach the gateway', () => {
  it.each(['127.0.0.1', 'localhost', 'gateway.lan', 'rebound.lan'])('has no effect on it by %s', async (host) => {
    const page = await blank();
    const { port } = new URL(gateway.url);
    const answered = async () => {
      const { text } = await rawRequest(gateway.url, { path: '/metrics' });
      const refused = Number(/^chat_web_refused_total\{kind="web_page"\} (\d+)$/m.exec(text)?.[1] ?? 0);
      return { operations: text.match(/^chat_web_requests_total\{.*$/gm), refused, text };
    };
    const before = await answered();
    await attackFrom(`http://attacker.lan:${page}/`, `http://${host}:${port}`, () =>
      eventually(async () => expect((await answered()).refused).toBeGreaterThan(before.refused + MIN_ARRIVED)),
    );
    const after = await answered();
    expect(after.operations).toEqual(before.operations);
    expect(after.text).toContain('chat_web_streams_open 0\n');
    expect(after.text).toContain('chat_web_sessions{status="stopped"} 1\n');
  });

  it('would have one on a server that does not check the origin of requests', async () => {
    const seen = new Set<string>();
    const page = await blank();
    const naive = await serve((request, response) => {
      seen.add(`${request.method} ${request.url} ${request.headers['content-type']?.split(';')[0]}`);
      response.end('{}');
    });
    for (const host of ['127.0.0.1', 'gateway.lan']) {
      seen.clear();
      await attackFrom(`http://attacker.lan:${page}/`, `http://${host}:${naive}`, () =>
        eventually(() =>
          expect([...seen]).toEqual(
            expect.arrayContaining([
              'POST /sessions/saved/messages text/plain',
              'POST /sessions/saved/start multipart/form-data',
              'GET /sessions/saved/events undefined',
            ]),
          ),
        ),
      );
    }
  });
});
