import { Readable } from 'node:stream';
import { ARCHIVE_TYPE, type SessionArchive, type TakenArchive } from '@chat-web/protocol';
import type { Context } from 'hono';
import { limitedBody } from './limited-body.ts';
import { requireMediaType } from './request-input.ts';
import type { ServerEnv } from './server-env.ts';

/** The archive in a request's body, unread. Throws `unsupported_media_type`. */
export function takenArchive(
  c: Context<ServerEnv>,
  { importMaxBytes }: { readonly importMaxBytes: number },
): TakenArchive {
  requireMediaType(c, ARCHIVE_TYPE, `send the archive with Content-Type: ${ARCHIVE_TYPE}`);
  const archive = limitedBody(c.env.incoming, { maxBytes: importMaxBytes });
  return { archive, contentDigest: c.req.header('Content-Digest') };
}

/**
 * Streams an archive to the caller. Its digest is a header, since few clients can read trailers; its length shows
 * whether it was cut off.
 */
export function archiveResponse(c: Context<ServerEnv>, id: string, archive: SessionArchive): Response {
  const headers = {
    'Content-Type': ARCHIVE_TYPE,
    'Content-Length': String(archive.size),
    'Content-Digest': archive.contentDigest,
    'Content-Disposition': `attachment; filename="${id}.tar"`,
  };
  return c.body(Readable.toWeb(Readable.from(archive.bytes, { objectMode: false })) as ReadableStream, 200, headers);
}
