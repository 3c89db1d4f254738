import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { MediaStore } from '../network/media-store.ts';

/** Accepts uploads (POST) and serves files (GET), both as plain bytes. */
export async function serveMedia(
  store: MediaStore,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'POST') {
    const { path: directPath, size } = await store.receive(request);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ directPath, size }));
    return;
  }
  const file = store.find(path);
  if (!file) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    return;
  }
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': file.size,
    'cache-control': 'no-store',
  });
  await pipeline(file.chunks, response);
}
