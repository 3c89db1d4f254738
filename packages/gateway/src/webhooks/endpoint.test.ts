import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { AddressGuard } from '@chat-web/outbound';
import { deferred } from '@chat-web/protocol';
import { listening, pace } from '@chat-web/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Endpoint } from './endpoint.ts';
import { newSecret } from './signature.ts';

const EVENT = { id: 'a-1', type: 'message', session: 'main', at: 0, text: '{}' };
const never = new AbortController().signal;
const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function openedAt(server: Server | TcpServer): Promise<string> {
  open.push(() => server.close());
  return `127.0.0.1:${await listening(server)}`;
}

function endpointAt(url: string): Endpoint {
  const guard = new AddressGuard(['127.0.0.1']);
  const endpoint = new Endpoint({
    url,
    guard,
    owner: undefined,
    secrets: () => [newSecret()],
    userAgent: 'chat-web/1',
  });
  open.push(() => endpoint.close());
  return endpoint;
}

async function answering(listener: RequestListener): Promise<Endpoint> {
  const server = createServer(listener);
  open.push(() => server.closeAllConnections());
  return endpointAt(`http://${await openedAt(server)}/hook?a=b`);
}

describe('an endpoint', () => {
  it('that does not answer fails after 15 s', async () => {
    const { promise: asked, resolve: onAsked } = deferred();
    const endpoint = await answering(() => onAsked());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const posted = vi.fn();
    const post = endpoint.post(EVENT, never).then(posted);
    await asked;
    await vi.advanceTimersByTimeAsync(14_900);
    expect(posted).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    await post;
    expect(posted).toHaveBeenCalledExactlyOnceWith({ kind: 'failed', message: 'no response within 15 s' });
  });

  it('that answers without end counts as answered, and is not read further', async () => {
    let written = 0;
    let isClosed = false;
    const endpoint = await answering((_, response) => {
      response.writeHead(200);
      const write = () => {
        while (response.write(Buffer.alloc(65_536)) && written < 1e8) written += 65_536;
      };
      response.on('drain', write).on('close', () => {
        isClosed = true;
      });
      write();
    });
    expect(await endpoint.post(EVENT, never)).toEqual({ kind: 'delivered' });
    await expect.poll(() => isClosed).toBe(true);
    expect(written).toBeLessThan(1e8);
  });

  it('that refuses the connection, hangs up or does not speak HTTP fails', async () => {
    const refusing = createTcpServer();
    const gone = await openedAt(refusing);
    refusing.close();
    await once(refusing, 'close');
    const message = expect.stringMatching(/^the connection failed \(E\w+\)$/);
    expect(await endpointAt(`http://${gone}/`).post(EVENT, never)).toEqual({ kind: 'failed', message });
    const hangsUp = await openedAt(createTcpServer((socket) => socket.destroy()));
    expect(await endpointAt(`http://${hangsUp}/`).post(EVENT, never)).toMatchObject({ kind: 'failed' });
    const other = await openedAt(createTcpServer((socket) => socket.end('SSH-2.0-x\r\n')));
    expect(await endpointAt(`http://${other}/`).post(EVENT, never)).toMatchObject({ kind: 'failed' });
    expect(await endpointAt(`https://${other}/`).post(EVENT, never)).toMatchObject({ kind: 'failed' });
  });

  it('that closes a kept-alive connection just as it is used is reconnected to', async () => {
    let [connections, dropped] = [0, 0];
    const server = createServer((_, response) => response.writeHead(204).end());
    server.on('connection', (socket) => {
      connections += 1;
      // It answers one request, and hangs up when the next arrives.
      let isUsed = false;
      socket.prependListener('data', () => {
        if (isUsed) {
          dropped += 1;
          socket.resetAndDestroy();
        }
        isUsed = true;
      });
    });
    const endpoint = endpointAt(`http://${await openedAt(server)}/`);
    for (let n = 0; n < 3; n += 1) {
      expect(await endpoint.post(EVENT, never)).toEqual({ kind: 'delivered' });
      await pace(20);
    }
    expect([dropped, connections]).toEqual([1, 3]);
  });

  it.each([
    [429, {}, 60_000],
    [429, { 'retry-after': '5' }, 5_000],
    [503, { 'retry-after': '7' }, 7_000],
    [429, { 'retry-after': '999999999' }, 24 * 60 * 60_000],
    [429, { 'retry-after': 'soon' }, 60_000],
    [429, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 1_000],
    [429, { 'retry-after': '0' }, 1_000],
  ])('that answers %i %o is not called for %i ms', async (status, headers, waitMs) => {
    const endpoint = await answering((_, response) => response.writeHead(status, headers).end());
    expect(await endpoint.post(EVENT, never)).toMatchObject({ kind: 'put_off', waitMs });
  });

  it('is not waited for when the webhook stops', async () => {
    const endpoint = await answering(() => {});
    const stopping = new AbortController();
    const posted = endpoint.post(EVENT, stopping.signal);
    stopping.abort(new Error('stopped'));
    await expect(posted).rejects.toThrow('stopped');
    await expect(endpoint.post(EVENT, stopping.signal)).rejects.toThrow('stopped');
  });
});
