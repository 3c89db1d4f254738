/**
 * A small inbox in a browser: links an account, shows the texts that it receives, and answers them.
 *
 *   npm run example                                  # on the simulator
 *   GATEWAY_TOKEN=<token> node examples/inbox.mjs    # with a gateway of your own, in this checkout
 *
 * GATEWAY_URL and SESSION name another gateway or session. A key needs the scope `manage` to link, `send` for the rest.
 * INBOX_PORT: 0 picks a free one. INBOX_FOLDER keeps the messages and the position in the events.
 *
 * There is no login: it listens on 127.0.0.1, and whoever can reach it reads and writes as the account.
 */
import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createClient, GatewayError, listen, sendText } from '@chat-web/host';
import { filePosition } from '@chat-web/host/node';

const { GATEWAY_URL: url = 'http://127.0.0.1:3000', GATEWAY_TOKEN: token, SESSION: id = 'main' } = process.env;
const { INBOX_PORT = '8080', INBOX_FOLDER = 'inbox' } = process.env;
const MAX_FORM_BYTES = 100_000;
const STATUS_TIMEOUT_MS = 3_000;
const CHAT = /^[\d-]{1,40}@(c\.us|lid|g\.us)$/;
const SECURITY_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};
/** Replaces the changed part of an open page, and keeps the form with what was typed. */
const LIVE_SCRIPT = `
  new EventSource('/live').onmessage = async () => {
    // A read fails when the inbox ends: then the stream ends, too, and causes another read as soon as it is back.
    const text = await fetch(location.href).then((response) => response.text()).catch(() => undefined);
    if (text === undefined) return;
    const page = new DOMParser().parseFromString(text, 'text/html');
    const [now, next] = [document, page].map((one) => one.querySelector('main'));
    if (now.innerHTML !== next.innerHTML) now.replaceWith(next);
  };`;

const client = createClient({ url, token });

/** Messages by id, in order of arrival. A real application has a database. */
const messages = new Map();
await mkdir(INBOX_FOLDER, { recursive: true });
const file = join(INBOX_FOLDER, 'messages.jsonl');
for (const line of (await readFile(file, 'utf8').catch(() => '')).split('\n')) {
  try {
    const message = JSON.parse(line);
    messages.set(message.id, message);
  } catch {} // The end of a file may be missing after a crash: the event is delivered again.
}

/** Stores a message, once. */
async function add({ id, chat, fromMe, body, type, timestamp }) {
  if (messages.has(id)) return;
  const message = { id, chat, fromMe, body, type, timestamp };
  await appendFile(file, `\n${JSON.stringify(message)}`);
  messages.set(id, message);
  changed();
}

/** Open pages, which read again when something has changed. */
const openPages = new Set();
function changed() {
  for (const page of openPages) page.write('data:\n\n');
}

const listener = listen(
  { url, token },
  { sessions: [id], position: filePosition(join(INBOX_FOLDER, 'position')), from: 'oldest', onDisconnect: changed },
);
/** The position is saved after the handler: a message whose storing failed is delivered again. */
const following = listener.run({
  message: async ({ data }) => {
    if (!data.isStatus) await add({ ...data, chat: data.fromMe ? data.to : data.from });
  },
  gap: ({ data }) => console.warn(`events are missing (${data.reason}): look at the phone`),
  any: changed, // `qr`, `ready`, `disconnected` and the others change what the pages show.
});

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    if (!response.headersSent) show(response, 502, '<p>It did not work. Try again in a moment.</p>');
  });
});
server.listen(Number(INBOX_PORT), '127.0.0.1', () => console.log(`inbox listening on ${origin()}`));

const stop = () => {
  server.close();
  server.closeAllConnections();
  return listener.stop();
};
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
await following.catch((error) => {
  console.error(error);
  process.exitCode = 1;
  return stop();
});

function origin() {
  return `http://127.0.0.1:${server.address().port}`;
}

async function answer(request, response) {
  // Another site may have pointed its host name at this machine, or may send a form to it.
  if (`http://${request.headers.host}` !== origin()) return show(response, 421, '<p>Not this host.</p>');
  if (request.method === 'POST' && request.headers.origin !== origin())
    return show(response, 403, '<p>Forms of other pages are refused.</p>');
  const { pathname, searchParams } = new URL(request.url, origin());
  const route = `${request.method} ${pathname}`;
  if (route === 'GET /live.js') {
    response.writeHead(200, { ...SECURITY_HEADERS, 'Content-Type': 'text/javascript' }).end(LIVE_SCRIPT);
  } else if (route === 'GET /live') {
    response.writeHead(200, { ...SECURITY_HEADERS, 'Content-Type': 'text/event-stream' }).write('retry: 1000\n\n');
    openPages.add(response);
    response.on('close', () => openPages.delete(response)).write('data:\n\n'); // After a reconnect, it reads again.
  } else if (route === 'GET /') {
    show(response, 200, await home());
  } else if (route === 'POST /start') {
    await client.startSession({ id });
    response.writeHead(303, { Location: '/' }).end();
  } else if (pathname === '/chat' && CHAT.test(searchParams.get('with') ?? '')) {
    const chat = searchParams.get('with');
    if (request.method === 'POST') await send(request, response, chat);
    else show(response, 200, conversation(chat), form(randomUUID()));
  } else {
    show(response, 404, '<p>There is no such page.</p>');
  }
}

async function home() {
  const { status, message = '' } = await client
    .getSessionStatus({ id }, { retries: 0, timeoutMs: STATUS_TIMEOUT_MS })
    .catch((error) => ({ status: error.code === 'session_not_found' ? 'not linked' : 'not reachable' }));
  const qr = status === 'qr' ? await client.getQr({ id }).catch(() => undefined) : undefined;
  const canStart = ['not linked', 'stopped', 'failed'].includes(status);
  const chats = [...new Set([...messages.values()].map(({ chat }) => chat))].reverse();
  return `
    <p id="status">The account is ${escaped(status)}. ${escaped(message)}</p>
    ${canStart ? '<form method="post" action="/start"><button>Start</button></form>' : ''}
    ${qr ? `<p>Scan this on the phone (Settings, Linked devices):</p><img alt="QR" src="${escaped(qr.qr)}">` : ''}
    <ul>${chats.map((chat) => `<li><a href="/chat?with=${encodeURIComponent(chat)}">${escaped(chat)}</a>`).join('')}</ul>`;
}

function conversation(chat) {
  const shown = [...messages.values()].filter((message) => message.chat === chat);
  const lines = shown.map(({ fromMe, body, type, timestamp }) => {
    const at = new Date(timestamp * 1_000).toLocaleString('en');
    return `<li>${fromMe ? 'I' : 'They'}, ${at}: <bdi class="body">${escaped(body || `(${type})`)}</bdi>`;
  });
  return `<p><a href="/">All chats</a></p><h2>${escaped(chat)}</h2><ol>${lines.join('')}</ol>`;
}

/** The key belongs to the form: a double click, a reload or another attempt sends its text once. */
function form(key, text = '', problem = '') {
  return `
    <p role="alert">${escaped(problem)}</p>
    <form method="post">
      <input type="hidden" name="key" value="${escaped(key)}">
      <label>Answer <textarea name="text" required>\n${escaped(text)}</textarea></label> <button>Send</button>
    </form>`;
}

async function send(request, response, chat) {
  let sent = '';
  for await (const chunk of request.setEncoding('utf8')) {
    sent += chunk;
    if (sent.length > MAX_FORM_BYTES) return show(response, 413, '<p>The text is too long.</p>');
  }
  const fields = new URLSearchParams(sent);
  const [key, body] = [fields.get('key') ?? '', (fields.get('text') ?? '').replaceAll('\r\n', '\n')];
  try {
    const message = await sendText(client, { id, type: 'text', to: chat, body }, { idempotencyKey: key });
    await add({ ...message, chat });
    response.writeHead(303, { Location: request.url }).end();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // A form that the browser has restored was sent before, with another text: this is a new message.
    const isNew = error.code === 'idempotency_key_reused';
    const problem = isNew
      ? 'This form was sent before. Please send it again.'
      : `Not sent, or not known to be: ${error.message}. Send it again: it will not arrive twice.`;
    show(response, 409, conversation(chat), form(isNew ? randomUUID() : key, body, problem));
  }
}

function show(response, status, content, after = '') {
  response.writeHead(status, { ...SECURITY_HEADERS, 'Content-Type': 'text/html; charset=utf-8' }).end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <title>Inbox</title><script type="module" src="/live.js"></script>
    <h1>Inbox</h1><main>${content}</main>${after}</html>`,
  );
}

/** What strangers write must not become HTML. */
function escaped(text) {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
