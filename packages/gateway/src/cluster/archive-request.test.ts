import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { requestArchive } from './archive-request.ts';
import { HOP_HEADER } from './hop.ts';

const LIMITS = { beginsMs: 200, silentMs: 200 };
const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Requests an archive from a gateway that answers like this. */
async function requested(answer: (response: ServerResponse, request: string) => void) {
  const server = createServer(({ method, url, headers }, response) =>
    answer(response, `${method} ${url} ${headers[HOP_HEADER]}`),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const peer = { id: 'b', name: 'host-b', isLost: false, address, publicKey: undefined };
  const options = { sign: (request: string) => `signed ${request}`, signal: new AbortController().signal };
  return requestArchive(peer, 'main', options, LIMITS);
}

describe('the archive of a session on another host', () => {
  it('is requested with a signature, and streamed', async () => {
    let seen = '';
    const { bytes, contentDigest } = await requested((response, request) => {
      seen = request;
      response.writeHead(200, { 'Content-Digest': 'sha-256=:AA=:' });
      response.write('arch');
      setTimeout(() => response.end('ive'), 100);
    });
    expect(seen).toBe('POST /cluster/sessions/main/archive signed POST /cluster/sessions/main/archive');
    expect(contentDigest).toBe('sha-256=:AA=:');
    expect((await buffer(bytes)).toString()).toBe('archive');
  });

  it('is refused with the error of the other gateway, or with host_unreachable', async () => {
    const refuse = (body: string) => requested((response) => void response.writeHead(409).end(body));
    await expect(refuse('{"code":"session_not_exportable","error":"no auth"}')).rejects.toMatchObject({
      code: 'session_not_exportable',
      message: 'host host-b refuses: no auth',
    });
    for (const body of ['{"code":"other","error":"x"}', 'text', ''])
      await expect(refuse(body)).rejects.toMatchObject({ code: 'host_unreachable' });
    await expect(requested((response) => response.destroy())).rejects.toMatchObject({ code: 'host_unreachable' });
  });

  it('fails if the other gateway sends nothing for too long, before it or within it', async () => {
    await expect(requested(() => {})).rejects.toMatchObject({ code: 'host_unreachable' });
    const { bytes } = await requested((response) => void response.writeHead(200).write('arch'));
    await expect(buffer(bytes)).rejects.toThrow();
  });
});
