import { describe, expect, it } from 'vitest';
import { checkpointParts } from '../journal/folds.ts';
import type { JournalRecord, NewRecord } from '../journal/frame.ts';
import { DeliveredMessages, deliveryNotes } from './delivered-messages.ts';

const NOW = 1_800_000_000;

/** The fold, with records as the journal passes them. */
class Delivery {
  readonly fold = new DeliveredMessages();
  #seq = 0;

  apply(record: NewRecord, nowSeconds = NOW): void {
    this.#seq += 1;
    const applied: JournalRecord = { ...record, seq: this.#seq, at: nowSeconds * 1_000 };
    this.fold.apply(applied);
  }

  message(id: string, timestamp: number, nowSeconds = timestamp): void {
    const text = JSON.stringify({ id, timestamp });
    this.apply({ kind: 'event', name: 'message', session: 'main', key: id, text }, nowSeconds);
  }

  /** The same after a restart of the gateway. */
  restarted(): DeliveredMessages {
    const after = new DeliveredMessages();
    for (const { session, text } of checkpointParts(this.fold)) after.restore(session, JSON.parse(text));
    return after;
  }
}

describe('delivered messages', () => {
  it('are known, also after a restart of the gateway', () => {
    const delivery = new Delivery();
    delivery.message('a', NOW);
    for (const fold of [delivery.fold, delivery.restarted()]) {
      expect([fold.has('main', 'a'), fold.has('main', 'b'), fold.has('other', 'a')]).toEqual([true, false, false]);
      expect(fold.until('main')).toBe(NOW - 120);
      expect(fold.until('other')).toBeUndefined();
    }
  });

  it('are a bounded number, in parts of less than a megabyte, however long their ids are', () => {
    const delivery = new Delivery();
    const ids = Array.from({ length: 10_001 }, (_, n) => `${n}`.padEnd(300, '\u4e2d'));
    for (const id of ids) delivery.message(id, NOW);
    const after = delivery.restarted();
    expect(ids.filter((id) => !after.has('main', id))).toEqual(ids.slice(0, 1));
    for (const { text } of checkpointParts(delivery.fold)) expect(Buffer.byteLength(text)).toBeLessThan(1_048_576);
  });

  it('without their content are remembered until it comes, however old they are', () => {
    const delivery = new Delivery();
    const text = (id: string, more = {}) => JSON.stringify({ id, timestamp: NOW, ...more });
    for (const id of ['a', 'b'])
      delivery.apply({
        kind: 'event',
        name: 'message',
        session: 'main',
        key: id,
        text: text(id, { unavailable: 'view_once' }),
      });
    delivery.message('c', NOW + 99_000);
    for (const fold of [delivery.fold, delivery.restarted()]) {
      expect(fold.withoutContent('main')).toEqual(['a', 'b']);
      expect([fold.has('main', 'a'), fold.lacksContent('main', 'a'), fold.lacksContent('main', 'c')]).toEqual([
        false,
        true,
        false,
      ]);
    }
    delivery.message('a', NOW);
    expect(delivery.restarted().withoutContent('main')).toEqual(['b']);
  });

  it('are kept as far back as a catch-up looks', () => {
    const delivery = new Delivery();
    delivery.message('a', NOW);
    delivery.message('b', NOW + 100);
    expect(delivery.fold.has('main', 'a')).toBe(true);
    delivery.message('c', NOW + 3_600);
    expect(delivery.fold.has('main', 'a')).toBe(false);
  });

  it('do not reach back before the session was linked', () => {
    const delivery = new Delivery();
    delivery.apply(deliveryNotes.until('main', NOW));
    delivery.message('a', NOW + 60);
    expect(delivery.fold.until('main')).toBe(NOW);
    delivery.apply(deliveryNotes.until('main', NOW - 1_000));
    expect(delivery.fold.until('main')).toBe(NOW);
    delivery.apply(deliveryNotes.until('main', NOW + 9_000));
    expect(delivery.fold.until('main')).toBe(NOW + 9_000);
  });

  it('do not make later messages history, if one has a future timestamp', () => {
    const delivery = new Delivery();
    delivery.message('a', 4_294_967_295, NOW);
    expect(delivery.fold.until('main')).toBe(NOW - 120);
  });

  it('keep the time from which messages are missing, until those have arrived', () => {
    const delivery = new Delivery();
    delivery.message('a', NOW);
    delivery.apply(deliveryNotes.missing('main', NOW + 50));
    delivery.message('b', NOW + 3_600);
    for (const fold of [delivery.fold, delivery.restarted()]) {
      expect(fold.until('main')).toBe(NOW + 50);
      expect(fold.has('main', 'b')).toBe(true);
    }
    delivery.message('missed', NOW + 60, NOW + 3_700);
    delivery.message('c', NOW + 3_800);
    expect(delivery.fold.has('main', 'missed')).toBe(true);
    delivery.apply(deliveryNotes.complete('main'));
    expect(delivery.fold.until('main')).toBe(NOW + 3_680);
  });

  it('are forgotten with the session, and when another account may be linked', () => {
    for (const record of [
      deliveryNotes.reset('main'),
      { kind: 'forget', name: '', session: 'main', key: '', text: '' } as const,
    ]) {
      const delivery = new Delivery();
      delivery.message('a', NOW);
      delivery.apply(record);
      expect(delivery.fold.has('main', 'a')).toBe(false);
      expect(delivery.fold.until('main')).toBeUndefined();
      expect([...checkpointParts(delivery.fold)]).toEqual([]);
    }
  });
});
