import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { eventually, fixture, listening, rawRequest } from '@chat-web/testing';
import { openBrowser } from '@chat-web/testing/browser';
import { sharedGateway } from '@chat-web/testing/story';
import type { Browser } from 'puppeteer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Runs in an attacker's page. */
const ATTACK = readFileSync(fixture('hostile-page.js'), 'utf8');

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

/** Opens the attacker's page, and lets it try everything. Resolves with the number of attempts. */
async function attackFrom(page: string, target: string): Promise<number> {
  const tab = await browser.newPage();
  try {
    await tab.goto(page);
    return (await tab.evaluate(`${ATTACK}; attack('${target}')`)) as number;
  } finally {
    await tab.close();
  }
}

describe('a web page in a browser that can reach the gateway', () => {
  it.each(['127.0.0.1', 'localhost', 'gateway.lan', 'rebound.lan'])('has no effect on it by %s', async (host) => {
    const page = await serve((_, response) => response.setHeader('content-type', 'text/html').end('<body></body>'));
    const { port } = new URL(gateway.url);
    const answered = async () => {
      const { text } = await rawRequest(gateway.url, { path: '/metrics' });
      return { operations: text.match(/^chat_web_requests_total\{.*$/gm), text };
    };
    const before = await answered();
    const tried = await attackFrom(`http://attacker.lan:${page}/`, `http://${host}:${port}`);
    expect(tried).toBeGreaterThan(40);
    const after = await answered();
    expect(after.operations).toEqual(before.operations);
    expect(after.text).toContain('chat_web_streams_open 0\n');
    expect(after.text).toContain('chat_web_sessions{status="stopped"} 1\n');
  });

  it('would have one on a server that does not check the origin of requests', async () => {
    const seen = new Set<string>();
    const page = await serve((_, response) => response.setHeader('content-type', 'text/html').end('<body></body>'));
    const naive = await serve((request, response) => {
      seen.add(`${request.method} ${request.url} ${request.headers['content-type']?.split(';')[0]}`);
      response.end('{}');
    });
    for (const host of ['127.0.0.1', 'gateway.lan']) {
      seen.clear();
      await attackFrom(`http://attacker.lan:${page}/`, `http://${host}:${naive}`);
      await eventually(() => {
        for (const one of [
          'POST /sessions/saved/messages text/plain',
          'POST /sessions/saved/start multipart/form-data',
          'GET /sessions/saved/events undefined',
        ])
          expect([...seen]).toContain(one);
      });
    }
  });
});
