import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunStart } from './run.ts';
import { RunKeeper } from './run-keeper.ts';
import type { SessionContext } from './session-context.ts';

/** What each run was started with; nothing runs. */
const starts: RunStart[] = [];
vi.mock('./run.ts', () => ({
  Run: class {
    async start(start: RunStart) {
      starts.push(start);
    }
    async end() {}
  },
}));

/** A keeper, and what starts its next run and tells with what. */
function keeperOf() {
  let isSaved = false;
  const save = vi.fn(async (..._: [id: string, info: unknown, linkedAt: Date]) => {
    isSaved = true;
  });
  const saved = { has: () => isSaved, heardOf: () => '/nowhere/heard.json', save, wipe: async () => {} };
  const log = pino({ enabled: false });
  const listener = { onStart: () => {}, onEvent: () => {}, onFailure: () => {} };
  const keeper = new RunKeeper('main', { saved } as unknown as SessionContext, log, listener);
  const nextStart = async () => {
    await keeper.start(false);
    return starts.at(-1);
  };
  return { keeper, save, nextStart };
}

const info = { pushname: 'Ada', wid: '1@c.us', phone: '1', platform: 'android' };

describe('the moment of the link', () => {
  it('is known to the run that retries the first sync, and is the one that is saved', async () => {
    const { keeper, save, nextStart } = keeperOf();
    expect(await nextStart()).toMatchObject({ linkedAt: 0 });
    const before = Date.now() / 1_000;
    keeper.linking();
    const { linkedAt = 0 } = (await nextStart()) ?? {};
    expect(linkedAt).toBeGreaterThanOrEqual(before);
    await new Promise((resolve) => setTimeout(resolve, 5));
    keeper.linking();
    expect(await nextStart()).toMatchObject({ linkedAt });
    await keeper.ready(info);
    expect(save.mock.lastCall?.[2].getTime()).toBe(Math.trunc(linkedAt * 1_000));
    keeper.unpaired();
    keeper.linking();
    expect(await nextStart()).toMatchObject({ linkedAt: 0 });
  });

  it('is forgotten where the pairing comes to nothing, and when the auth is wiped', async () => {
    const { keeper, nextStart } = keeperOf();
    keeper.linking();
    keeper.unpaired();
    expect(await nextStart()).toMatchObject({ linkedAt: 0 });
    keeper.linking();
    await keeper.wipe();
    expect(await nextStart()).toMatchObject({ linkedAt: 0 });
  });
});

describe('that a restart was tried because nobody confirmed sends', () => {
  const HOUR = 3_600_000;
  const failure = { reason: 'for a test', retry: true };
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is known for a day, whatever other restarts come between', async () => {
    const { keeper, nextStart } = keeperOf();
    expect(await nextStart()).toMatchObject({ wasMute: false });
    keeper.retry({ cause: 'page_mute', ...failure }, true, () => {});
    keeper.retry({ cause: 'start_refused', ...failure }, false, () => {});
    expect(await nextStart()).toMatchObject({ wasMute: true });
    await keeper.end(false, 0); // As for a recycle.
    vi.advanceTimersByTime(23 * HOUR);
    expect(await nextStart()).toMatchObject({ wasMute: true });
    vi.advanceTimersByTime(HOUR);
    expect(await nextStart()).toMatchObject({ wasMute: false });
  });

  it('is forgotten where somebody restarts the session', async () => {
    const { keeper, nextStart } = keeperOf();
    keeper.retry({ cause: 'page_mute', ...failure }, true, () => {});
    keeper.forgive();
    expect(await nextStart()).toMatchObject({ wasMute: false });
  });
});
