import * as v from 'valibot';
import type { MediaBytes } from './media.ts';

export const ARCHIVE_TYPE = 'application/x-tar';

/** An archive that a caller passes to the client. */
export interface ArchiveInput {
  readonly archive: MediaBytes;
  /** Its digest, as a `Content-Digest` header; the gateway verifies it. */
  readonly contentDigest?: string | undefined;
}

/** A digest of an archive, by an algorithm of RFC 9530. */
export interface ArchiveDigest {
  readonly algorithm: 'sha-256' | 'sha-512';
  readonly bytes: Uint8Array;
}

export interface TakenArchive {
  readonly archive: AsyncIterable<Uint8Array>;
  /** All that the sender provided. */
  readonly digests: readonly ArchiveDigest[];
}

export interface SessionArchive {
  /** In bytes. */
  readonly size: number;
  /** As a `Content-Digest` header: `sha-256=:…:`. */
  readonly contentDigest: string;
  /** Throws if the archive ends early, because the session was taken back or deleted. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The answer of an operation that returns an archive: its bytes are not JSON, and are checked while they are read. */
export const sessionArchive = v.custom<SessionArchive>((value) => typeof value === 'object' && value !== null);

/** An archive that a client of the gateway receives. */
export interface ArchiveDownload {
  readonly data: ReadableStream<Uint8Array>;
  /** In bytes. */
  readonly size: number;
  /** Pass it on with the import. */
  readonly contentDigest: string;
}
