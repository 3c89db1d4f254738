import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Network } from '../network/network.ts';
import type { AccountRecord, GroupRecord } from '../network/records.ts';

/** Accepts uploads (POST) and serves files (GET), both as plain bytes. */
export async function serveMedia(
  { mediaStore: store, settings }: Network,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'POST') {
    if (settings.refusedUploads > 0) {
      settings.refusedUploads -= 1;
      response.writeHead(507).end();
      return;
    }
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

export const PICTURE_HOST = 'pps.whatsapp.net';

/** The default for people who have set none: a real JPEG of 96 by 96 pixels. */
const defaultPicture = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/4gHYSUNDX1BST0ZJTEUAAQEAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEAAAAAAABhY3NwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlkZXNjAAAA8AAAACRyWFlaAAABFAAAABRnWFlaAAABKAAAABRiWFlaAAABPAAAABR3dHB0AAABUAAAABRyVFJDAAABZAAAAChnVFJDAAABZAAAAChiVFJDAAABZAAAAChjcHJ0AAABjAAAADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAAAAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1AAADkFhZWiAAAAAAAABimQAAt4UAABjaWFlaIAAAAAAAACSgAAAPhAAAts9YWVogAAAAAAAA9tYAAQAAAADTLXBhcmEAAAAAAAQAAAACZmYAAPKnAAANWQAAE9AAAApbAAAAAAAAAABtbHVjAAAAAAAAAAEAAAAMZW5VUwAAACAAAAAcAEcAbwBvAGcAbABlACAASQBuAGMALgAgADIAMAAxADb/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCABgAGADASIAAhEBAxEB/8QAGgABAAIDAQAAAAAAAAAAAAAAAAMFAQIEBv/EACcQAAICAQIEBgMAAAAAAAAAAAABAgMRBDEFEiFxEyJBUWGxMjSh/8QAGAEBAAMBAAAAAAAAAAAAAAAAAAEDBAL/xAAZEQEBAQEBAQAAAAAAAAAAAAAAARECAyH/2gAMAwEAAhEDEQA/ALMAHLCAAAAAAAAAAAAAAAAAAAS16a6xZhW2vfY69BpU4q2xZz+Kf2WBOLuPLZtUlmmurWZ1tL33Ij0BX6/SpRdtaxj8kvsYd+WTYrwAQpAAAAAAAAX8IqMIxWyWDJDpbVdRGXqlh9yY6bZdgYnFShKL2awZIdVaqaJSz1awu4LcilAByxAAAAAAAbQhKyXLCLk/gDai+dE+aD33T9Sxr4hTJefMH2yQVcNk1m2fL8I6I8PoW6lLuyfq/idxiziFMV5MzfbBXX3zvnzTe2yXoWUuH0PZSj2Zz28Nkk3VPm+H0H07ndcIMzhKuXLOLi/ZmCFAAAAAA3pqldYoR3f8LiiiFEOWC7v3I9DR4VKbXml1Z0kxp8+Mm0ABK0AAEV9EL4cs12fsU91UqbHCW6/penNrqPFpbS80eqIqr042bFQACGYN6YeJdCD2b6mhPof268/P0E8/bFyADptAAAAAAAAUV0PDunFbJvBoT679uzHx9EByxdfLX//Z',
  'base64',
);

export function pictureUrl({ number }: AccountRecord): string {
  return `https://${PICTURE_HOST}/v/t61.24694-24/${number}.jpg?oe=${Math.floor(Date.now() / 1000) + 86_400}`;
}

export function groupPictureUrl({ id }: GroupRecord): string {
  return `https://${PICTURE_HOST}/v/t61.24694-24/${id}`;
}

/** Serves the picture of a group or a person at that path, to any page, as the real host does. */
export function servePicture({ directory, groups }: Network, path: string, response: ServerResponse): void {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const person = directory.find(name.replace(/\.jpg$/, ''));
  const bytes = groups.find(name)?.picture ?? person?.jpeg ?? defaultPicture;
  const headers = { 'content-type': 'image/jpeg', 'content-length': bytes.length };
  response.writeHead(200, { ...headers, 'access-control-allow-origin': '*', 'cache-control': 'no-store' }).end(bytes);
}
