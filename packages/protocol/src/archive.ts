import * as v from 'valibot';
import type { MediaBytes } from './media.ts';

/** The Content-Type of a session's archive. */
export const ARCHIVE_TYPE = 'application/x-tar';

/** An archive as a caller of the client gives it. */
export interface ArchiveInput {
  readonly archive: MediaBytes;
  /** Its digest, as a `Content-Digest` header: what arrives is compared with it. */
  readonly contentDigest?: string | undefined;
}

/** An archive as it arrives at the gateway. */
export interface TakenArchive {
  readonly archive: AsyncIterable<Uint8Array>;
  readonly contentDigest?: string | undefined;
}

/** An archive on its way out of the gateway. */
export interface SessionArchive {
  /** In bytes. */
  readonly size: number;
  /** As a `Content-Digest` header: `sha-256=:…:`. */
  readonly contentDigest: string;
  /** Throws if the archive ends before it is complete: the session was taken back or deleted. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The answer of an operation that gives an archive: its bytes are not JSON, and are checked where they are read. */
export const sessionArchive = v.custom<SessionArchive>((value) => typeof value === 'object' && value !== null);

/** An archive as a client of the gateway gets it. */
export interface ArchiveDownload {
  readonly data: ReadableStream<Uint8Array>;
  /** In bytes. */
  readonly size: number;
  /** To be passed on with the import. */
  readonly contentDigest: string;
}
