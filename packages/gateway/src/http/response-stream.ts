import type { ServerResponse } from 'node:http';
import { type EventName, errorText, GatewayError } from '@chat-web/protocol';
import { endOfTurn } from '../event-loop.ts';
import type { EventStream } from '../events/event-streams.ts';
import { type Feed, sseEvent } from '../events/feed.ts';
import type { Log } from '../log.ts';
import { onResponseClose } from './server/guarded-response.ts';

/** A reader that reads nothing for this long is disconnected. It resumes at its position when it reconnects. */
const STALL_TIMEOUT_MS = 30_000;
/** How long a disconnected stream may take to end. */
const CUT_OFF_TIMEOUT_MS = 500;
/** How much is written at once: a stalled reader holds no more memory than this. */
const PIECE_LENGTH = 65_536;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'X-Accel-Buffering': 'no',
};

interface Dependencies {
  readonly withSession: boolean;
  takes(session: string, name: EventName): boolean;
  readonly log: Pick<Log, 'error'>;
}

/**
 * Writes an event stream to a Node response, as fast as its reader reads. Unread events stay in the journal, so that a
 * slow reader costs no memory.
 */
export class ResponseStream implements EventStream {
  readonly #response: ServerResponse;
  readonly #feed: Feed;
  readonly #dependencies: Dependencies;
  /** Frames outside the feed that wait for the reader. */
  #waiting = '';
  #isKeepAliveDue = false;
  #isOpen = false;
  #isPumping = false;
  #wakeUp = () => {};

  constructor(response: ServerResponse, feed: Feed, dependencies: Dependencies) {
    this.#response = response;
    this.#feed = feed;
    this.#dependencies = dependencies;
  }

  /** Sends the headers and a comment, so that the reader knows at once that it is connected; then the missed events. */
  open(): void {
    const stop = this.#feed.onMore(() => void this.#pump());
    this.#response.on('drain', () => this.#wakeUp());
    onResponseClose(this.#response, () => {
      stop();
      this.#wakeUp();
    });
    this.#response.writeHead(200, HEADERS);
    // A reader that gets no event before it is disconnected reconnects with this position.
    this.#response.write(`retry: 3000\n${this.#positionFrame('connected')}`);
    // Events that are being written now are not sent. Without this, a reader that reconnects would get them.
    this.#feed.onBegin(() => this.keepAlive());
    this.#isOpen = true;
    void this.#pump();
  }

  takes(session: string, name: EventName): boolean {
    return this.#dependencies.takes(session, name);
  }

  /** Writes a frame that is not in the journal, after those that are. A stalled reader gets only the newest ones. */
  write(frame: string): void {
    this.#waiting = this.#waiting.length > PIECE_LENGTH ? frame : this.#waiting + frame;
    void this.#pump();
  }

  /** A comment for proxies, and the position, for a reader that has had no event for long. */
  keepAlive(): void {
    this.#isKeepAliveDue = true;
    void this.#pump();
  }

  end(lastFrame: string): void {
    if (this.#isOver) return; // A stalled stream that has ended may be cut off before it closes.
    this.#response.end(this.#waiting + lastFrame);
  }

  /** Ends the stream, and drops whatever the reader has not read within half a second. */
  cutOff(why: string): void {
    this.end(`: ${why}\n\n`);
    const timer = setTimeout(() => this.#response.destroy(), CUT_OFF_TIMEOUT_MS);
    this.#response.on('close', () => clearTimeout(timer));
  }

  /** The position, for readers that keep each `id`, and for those whose parser reports it only with events. */
  #positionFrame(comment: string): string {
    const { position } = this.#feed;
    return `id: ${position}\n: ${comment} ${position}\n\n`;
  }

  get #isOver(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  /** Writes all available events, piece by piece. Never rejects. */
  async #pump(): Promise<void> {
    if (this.#isPumping || !this.#isOpen) return;
    this.#isPumping = true;
    try {
      while (!this.#isOver && (this.#waiting !== '' || this.#isKeepAliveDue || !this.#feed.isAtEnd)) {
        if (this.#feed.isAtEnd) {
          // The current position: events sent since the comment was due must not be sent again.
          const frames = this.#waiting + (this.#isKeepAliveDue ? this.#positionFrame('keepalive') : '');
          this.#waiting = '';
          this.#isKeepAliveDue = false;
          await this.#take(frames);
          continue;
        }
        const read = this.#feed.read();
        // Events in memory are written in this turn: they have just happened.
        const entries = Array.isArray(read) ? read : await read;
        let piece = '';
        for (const entry of entries) {
          piece += sseEvent(entry, this.#dependencies.withSession);
          if (piece.length < PIECE_LENGTH) continue;
          await this.#take(piece);
          piece = '';
        }
        if (piece !== '') await this.#take(piece);
      }
    } catch (error) {
      if (this.#isOver) return; // Nothing more is wanted.
      if (error instanceof GatewayError && error.code === 'engine_unavailable') {
        // It goes on when there are new events, at the latest at the next comment.
        const comment = this.#isKeepAliveDue ? ': the database cannot be reached\n\n' : '';
        if (this.#waiting + comment !== '') this.#response.write(this.#waiting + comment);
        [this.#waiting, this.#isKeepAliveDue] = ['', false];
        return;
      }
      this.#dependencies.log.error({ error: errorText(error) }, 'journal not read');
      this.cutOff('the events could not be read');
    } finally {
      this.#isPumping = false;
    }
  }

  /** Resolves when the reader has read enough for more to be written, or the stream is over. */
  async #take(frames: string): Promise<void> {
    if (this.#isOver || this.#response.write(frames)) return this.#isOver ? undefined : endOfTurn();
    const timer = setTimeout(() => this.#response.destroy(), STALL_TIMEOUT_MS);
    await new Promise<void>((resolve) => {
      this.#wakeUp = resolve;
    });
    clearTimeout(timer);
  }
}
