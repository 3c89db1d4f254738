import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ADA, BEN, browsersIn, figure, pace, rounds, seconds, withRoom } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

const MAX_MS = 10_000;
/** The real page may or may not report UNPAIRED before it goes away. */
const PAGES = [
  { unpairedOnLogout: false, next: ADA },
  { unpairedOnLogout: true, next: BEN },
];

describe('an account unlinked on the phone, which reports it three times', () => {
  it.each(rounds({ few: PAGES.slice(0, 1), all: PAGES }))(
    'is reported once, loses its profile after its browser, and can be linked again permanently: %j',
    async ({ unpairedOnLogout, next }) => {
      await using stack = await Stack.start({ simulator: { unpairedOnLogout } });
      await stack.link('main', ADA);
      const events = await stack.listen('main');
      const watch = new WipeWatch(join(stack.dataDir, 'sessions', 'main'));
      const watched = watch.untilWiped();

      const unlinkedAt = Date.now();
      await stack.phones.logout(ADA, { times: 3 });
      await events.until('disconnected');
      const { status, qr = '' } = await stack.client.startSession({ id: 'main' });
      const freshMs = Date.now() - unlinkedAt;
      expect(status).toBe('qr');
      const aliveAtWipe = await watched;
      await stack.settled();
      const reported = events.all('disconnected');
      figure(
        'unlinking',
        `${reported.length} event for 3 logouts, ${aliveAtWipe.length} processes of the old browser at the wipe, a fresh QR after ${seconds(freshMs)}`,
      );
      expect(reported).toMatchObject([{ reason: 'LOGOUT' }]);
      expect(aliveAtWipe).toEqual([]);
      expect(freshMs).toBeLessThanOrEqual(withRoom(MAX_MS));

      await stack.phones.scan(next, qr);
      expect(await events.until('ready')).toMatchObject({ phone: next });
      const qrs = events.all('qr').length;
      await stack.client.stopSession({ id: 'main' });
      expect((await stack.client.startSession({ id: 'main' })).qr).toBeUndefined();
      await stack.untilStatus('main', 'ready');
      expect(events.all('qr')).toHaveLength(qrs);

      await stack.gateway.end();
      await stack.restartGateway();
      const later = await stack.listen('main');
      await stack.untilStatus('main', 'ready');
      expect(later.all('qr')).toEqual([]);
      expect((await stack.phones.account(next)).devices).toHaveLength(1);
    },
  );
});

/** Polls a session's profile and the processes of its browser as often as it can. */
class WipeWatch {
  readonly #profile: string;
  readonly #browser: readonly number[];
  readonly #inode: number | undefined;

  constructor(sessionDir: string) {
    this.#profile = join(sessionDir, 'session');
    this.#browser = browsersIn(sessionDir);
    this.#inode = this.#inodeNow();
    expect(this.#browser).not.toEqual([]);
    expect(this.#inode).toBeDefined();
  }

  /** Resolves once the profile is removed or replaced, with the processes of the old browser that still run then. */
  async untilWiped(): Promise<number[]> {
    // The folder first, then the processes: any process found has outlived its profile.
    const deadline = Date.now() + 2 * MAX_MS;
    while (this.#inodeNow() === this.#inode) {
      if (Date.now() > deadline) throw new Error(`${this.#profile} was not wiped`);
      await pace(1);
    }
    const alive = new Set(browsersIn(join(this.#profile, '..')));
    return this.#browser.filter((pid) => alive.has(pid));
  }

  #inodeNow(): number | undefined {
    return statSync(this.#profile, { throwIfNoEntry: false })?.ino;
  }
}
