import type { SessionEvent } from '@chat-web/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventHub, type Subscriber } from './event-hub.ts';

class Recorder implements Subscriber {
  frames: string[] = [];
  ended = false;
  readonly #showsQr: boolean;
  constructor(showsQr = true) {
    this.#showsQr = showsQr;
  }
  takes({ name }: SessionEvent): boolean {
    return this.#showsQr || name !== 'qr';
  }
  write(frame: string): void {
    this.frames.push(frame);
  }
  end(lastFrame: string): void {
    this.frames.push(lastFrame);
    this.ended = true;
  }
}

const lost = { name: 'disconnected', data: { reason: 'STOPPED', message: 'a\nb' } } as const;

describe('EventHub', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('gives every stream each event in one frame, and the present state to a new one', () => {
    const hub = new EventHub({ open: 0 });
    const [first, second] = [new Recorder(), new Recorder()];
    hub.subscribe(first, []);
    hub.publish(lost);
    hub.subscribe(second, [{ name: 'qr', data: 'data:image/png;base64,A' }]);
    hub.publish(lost);
    const frame = 'event: disconnected\ndata: {"reason":"STOPPED","message":"a\\nb"}\n\n';
    expect(first.frames).toEqual([frame, frame]);
    expect(second.frames).toEqual(['event: qr\ndata: data:image/png;base64,A\n\n', frame]);
  });

  it('gives a stream none of the events that its reader may not see', () => {
    const hub = new EventHub({ open: 0 });
    const [all, some] = [new Recorder(), new Recorder(false)];
    const qr = { name: 'qr', data: 'data:image/png;base64,A' } as const;
    for (const reader of [all, some]) hub.subscribe(reader, [qr]);
    hub.publish(qr);
    hub.publish(lost);
    expect(all.frames).toHaveLength(3);
    expect(some.frames).toEqual(['event: disconnected\ndata: {"reason":"STOPPED","message":"a\\nb"}\n\n']);
  });

  it('writes a comment every 30 s while somebody listens, and leaves no timer behind', () => {
    const hub = new EventHub({ open: 0 });
    const reader = new Recorder();
    const close = hub.subscribe(reader, []);
    vi.advanceTimersByTime(90_000);
    expect(reader.frames).toEqual([': keepalive\n\n', ': keepalive\n\n', ': keepalive\n\n']);
    close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('refuses the 17th stream of a session and the 257th in all, and counts closed ones no more', () => {
    const count = { open: 0 };
    const hub = new EventHub(count);
    const closers = Array.from({ length: 16 }, () => hub.subscribe(new Recorder(), []));
    expect(() => hub.subscribe(new Recorder(), [])).toThrow(/16 event streams/);
    closers[0]?.();
    closers[0]?.();
    expect(count.open).toBe(15);
    hub.subscribe(new Recorder(), []);
    const other = new EventHub({ open: 256 });
    expect(() => other.subscribe(new Recorder(), [])).toThrow(/256 in all/);
    hub.endAll('over');
    expect(count.open).toBe(0);
  });
});
