import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A request: the same bytes each time, on a connection that stays open. */
export interface RawRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token: string;
  readonly body?: object;
}

const HEAD_END = '\r\n\r\n';

/**
 * Sends one request after the other on each of `connections` connections for some time, and returns how many were
 * answered. Bytes are compared, not parsed: an HTTP client of Node takes more time than the measured server.
 */
export async function load(
  url: string,
  request: RawRequest,
  { connections, forMs }: { readonly connections: number; readonly forMs: number },
): Promise<number> {
  const bytes = requestText(url, request);
  const until = performance.now() + forMs;
  const counts = await Promise.all(Array.from({ length: connections }, () => oneAfterTheOther(url, bytes, until)));
  return counts.reduce((total, count) => total + count, 0);
}

/**
 * Opens an event stream. `onText`: called with received text; `null`: nothing more is read. Returns a function that
 * closes it.
 */
export async function openStream(
  url: string,
  request: RawRequest,
  onText: ((text: string) => void) | null = () => {},
): Promise<() => void> {
  const socket = await open(url);
  socket.setEncoding('utf8').write(requestText(url, request));
  const [first] = (await once(socket, 'data')) as [string];
  if (!first.startsWith('HTTP/1.1 200')) throw new Error(`no stream: ${first}`);
  if (onText) {
    onText(first);
    socket.on('data', onText);
  } else socket.pause().on('error', () => {});
  return () => socket.destroy();
}

function requestText(url: string, { method, path, token, body }: RawRequest): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const type =
    body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`];
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${new URL(url).host}`, `Authorization: Bearer ${token}`, ...type];
  return lines.join('\r\n') + HEAD_END + text;
}

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  return socket;
}

async function oneAfterTheOther(url: string, request: string, until: number): Promise<number> {
  const socket = await open(url);
  let answered = 0;
  let received = '';
  await new Promise<void>((resolve, reject) => {
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed')));
    socket.on('data', (text: string) => {
      received += text;
      const head = received.indexOf(HEAD_END);
      if (head < 0) return;
      const length = /content-length: (\d+)/i.exec(received)?.[1];
      if (length === undefined || !received.startsWith('HTTP/1.1 200')) return reject(new Error(received));
      if (received.length < head + HEAD_END.length + Number(length)) return;
      received = '';
      answered += 1;
      if (performance.now() < until) socket.write(request);
      else resolve();
    });
    socket.write(request);
  }).finally(() =>
    socket
      .removeAllListeners()
      .on('error', () => {})
      .destroy(),
  );
  return answered;
}
