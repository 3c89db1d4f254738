import { createServer } from 'node:http';
import { listening, rawRequest } from '@chat-web/testing';
import { openBrowser } from '@chat-web/testing/browser';
import { freshGateway } from '@chat-web/testing/story';
import type { Browser, Page } from 'puppeteer';
import { afterAll, beforeAll, expect, it } from 'vitest';

const TOKEN = 'correct-horse';
const gateway = freshGateway({
  settings: { CHAT_WEB_BROWSER_PATH: '/bin/false', CHAT_WEB_TOKEN: TOKEN },
  sessions: ['saved'],
});
const pages = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<body></body>'));
let browser: Browser;
let port: number;

beforeAll(async () => {
  port = await listening(pages);
  browser = await openBrowser(['app.lan', 'foreign.lan', 'gateway.lan']);
});
afterAll(async () => {
  await browser.close();
  pages.closeAllConnections();
  await new Promise((resolve) => pages.close(resolve));
});

/** Defined in the page: requests to the gateway, and a stream as its first event or its end. */
const HELPERS = (url: string) => `
  var ask = async (path, body) => {
    const headers = { Authorization: 'Bearer ${TOKEN}', 'Content-Type': 'application/json' };
    const answer = await fetch('${url}' + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, request: answer.headers.get('X-Request-Id'), ...(await answer.json()) };
  };
  var ticketFor = async (chosen) => (await ask('/events/ticket', chosen)).ticket;
  var firstOf = (ticket, query = '', whenOpen = () => {}) => new Promise((resolve) => {
    const source = new EventSource('${url}/events?ticket=' + ticket + query);
    source.onopen = whenOpen;
    source.onerror = () => source.readyState === EventSource.CLOSED && resolve('closed');
    source.addEventListener('status', ({ data, lastEventId }) => {
      source.close();
      resolve({ ...JSON.parse(data), id: lastEventId });
    });
  });
`;

async function pageAt(host: string, url: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`http://${host}:${port}/`);
  await page.evaluate(HELPERS(url));
  return page;
}

it('a page of an allowed origin follows events with a ticket, each for one stream; other pages get nothing', async () => {
  await gateway.start({ CHAT_WEB_CORS_ORIGINS: `http://app.lan:${port}` });
  const url = `http://gateway.lan:${new URL(gateway.url).port}`;
  const page = await pageAt('app.lan', url);
  const first = await page.evaluate(`(async () => {
    var ticket = window.ticket = await ticketFor({ sessions: ['saved'], events: ['status'] });
    return firstOf(ticket, '', () => ask('/sessions/saved/start', {}));
  })()`);
  expect(first).toMatchObject({ session: 'saved', data: { status: expect.any(String) }, id: expect.any(String) });
  expect(await page.evaluate('firstOf(ticket)')).toBe('closed');
  expect(
    await page.evaluate(`(async () => firstOf(await ticketFor({ events: ['status'] }), '&after=oldest'))()`),
  ).toEqual(first);
  expect(await page.evaluate(`ask('/sessions/saved/messages', {})`)).toMatchObject({
    status: 400,
    code: 'invalid_request',
    request: expect.any(String),
  });

  const foreign = await pageAt('foreign.lan', url);
  expect(await foreign.evaluate(`ask('/events/ticket', {}).catch(({ name }) => name)`)).toBe('TypeError');
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const issued = await rawRequest(gateway.url, { method: 'POST', path: '/events/ticket', headers, body: '{}' });
  const { ticket } = JSON.parse(issued.text) as { ticket: string };
  expect(await foreign.evaluate(`firstOf('${ticket}', '&after=oldest')`)).toBe('closed');
  // Refused before the ticket was looked at.
  expect(
    (await rawRequest(gateway.url, { path: `/events?ticket=${ticket}`, headers: { accept: 'application/json' } }))
      .status,
  ).toBe(200);
  expect(gateway.log.join('\n')).not.toContain(ticket.slice(4));
});
