import { GatewayError } from '@chat-web/protocol';
import type { CDPSession } from 'puppeteer';
import type { PageLink } from './page-link.ts';

/** The maximum bytes per read: few reads, and little memory for base64 in this process. */
export const PIECE_BYTES = 131_072;

/** A file that the page holds, read from the browser's own storage, without scripts or the process of the page. */
export class PageFile {
  readonly #session: CDPSession;
  readonly #objectId: string;
  readonly #handle: string;

  private constructor(session: CDPSession, objectId: string, handle: string) {
    this.#session = session;
    this.#objectId = objectId;
    this.#handle = handle;
  }

  /** Opens the file with that key: `session_lost` if the page has none. Rejects if it is not a file. */
  static async open(link: PageLink, key: string): Promise<PageFile> {
    const { session } = link;
    const objectId = await link.runForHandle('heldFile', key);
    if (objectId === undefined) throw new GatewayError('session_lost', 'the page no longer has the file');
    const { uuid } = await session.send('IO.resolveBlob', { objectId });
    return new PageFile(session, objectId, `blob:${uuid}`);
  }

  /** The next bytes, at most `PIECE_BYTES`; none at the end. Concurrent reads return one piece after the other. */
  read(): Promise<Buffer> {
    const piece = this.#session
      .send('IO.read', { handle: this.#handle, size: PIECE_BYTES })
      .then(({ data }) => Buffer.from(data, 'base64'));
    piece.catch(() => {}); // The reader may have timed out by then.
    return piece;
  }

  /** Lets the browser free the file. Does not wait. */
  close(): void {
    this.#session.send('IO.close', { handle: this.#handle }).catch(() => {});
    this.#session.send('Runtime.releaseObject', { objectId: this.#objectId }).catch(() => {});
  }
}
