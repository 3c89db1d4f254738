import { beforeEach, describe, expect, it, vi } from 'vitest';
import { freshProgram, stubPage } from '../../testing/page-registry.ts';
import { Wid } from '../../testing/wid.ts';

const wid = (text: string) => new Wid(text);
const hidden = (count: number, from = 0) => Array.from({ length: count }, (_, n) => wid(`${from + n}@lid`));

let queries: string[][];
let known: Map<string, Wid>;
let answerMs: number;

/**
 * A page whose network knows the numbers of all ids. Without `canAskMany`, it lacks the parts for a query of several
 * ids. With `failure`, the first such query ends with that.
 */
async function page({ canAskMany = true, failure }: { canAskMany?: boolean; failure?: Error | undefined } = {}) {
  const failures = failure ? [failure] : [];
  const answer = async (ids: readonly string[]) => {
    queries.push([...ids]);
    await new Promise((resolve) => setTimeout(resolve, answerMs));
    return ids.map((id) => ({ id: wid(id), pn: wid(id.replace('@lid', '@c.us')) }));
  };
  const learn = (rows: readonly { readonly id: Wid; readonly pn: Wid }[]) => {
    for (const { id, pn } of rows) known.set(String(id), pn);
  };
  class USyncUser {
    id = '';
    withId(id: Wid): this {
      this.id = String(id);
      return this;
    }
  }
  class USyncQuery {
    readonly users: USyncUser[] = [];
    withBusinessProtocol = () => this;
    withDisappearingModeProtocol = () => this;
    withUser(user: USyncUser): this {
      this.users.push(user);
      return this;
    }
    async execute(): Promise<object> {
      const error = failures.pop();
      if (error) throw error;
      return { error: {}, list: await answer(this.users.map(({ id }) => id)) };
    }
  }
  const many = {
    WAWebUsync: { USyncQuery },
    WAWebUsyncUser: { USyncUser },
    WAWebDBCreateLidPnMappings: {
      createLidPnMappings: async ({ mappings }: { mappings: { lid: Wid; pn: Wid }[] }) =>
        learn(mappings.map(({ lid, pn }) => ({ id: lid, pn }))),
    },
  };
  const modules = {
    WAWebApiContact: { getPhoneNumber: (id: Wid) => known.get(String(id)) },
    ...(canAskMany ? many : {}),
  };
  const enforceLidAndPnRetrieval = async (id: string) => learn(await answer([id]));
  stubPage(modules, { window: { WWebJS: { enforceLidAndPnRetrieval } } });
  const identities = await import('./identities.ts');
  identities.attachIds(0);
  return identities;
}

freshProgram();
beforeEach(() => {
  vi.useFakeTimers();
  [queries, known, answerMs] = [[], new Map(), 100];
});

describe('the numbers of hidden ids', () => {
  it('are queried in one request, unless the page knows them', async () => {
    const { resolveNumbers, phoneOr } = await page();
    known.set('0@lid', wid('0@c.us'));
    const ids = hidden(5);
    const resolved = resolveNumbers([...ids, ids[1], undefined, wid('7@c.us')]);
    await vi.advanceTimersByTimeAsync(100);
    await resolved;
    expect(queries).toEqual([['1@lid', '2@lid', '3@lid', '4@lid']]);
    expect(ids.map(phoneOr)).toEqual(['0@c.us', '1@c.us', '2@c.us', '3@c.us', '4@c.us']);
  });

  it.each([{ canAskMany: true }, { canAskMany: false }])(
    'are only queried for a few of a long list: %j',
    async (form) => {
      const { resolveNumbers } = await page(form);
      const resolved = resolveNumbers(hidden(1_000));
      await vi.advanceTimersByTimeAsync(2_000);
      await resolved;
      const again = resolveNumbers(hidden(1_000));
      await vi.advanceTimersByTimeAsync(5_000);
      await again;
      expect(queries.flat()).toHaveLength(20);
      expect(queries).toHaveLength(form.canAskMany ? 1 : 20);
    },
  );

  it('are not queried after their caller has timed out', async () => {
    const { resolveNumbers } = await page({ canAskMany: false });
    answerMs = 60_000;
    const resolved = resolveNumbers(hidden(10));
    await vi.advanceTimersByTimeAsync(2_000);
    await resolved;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(queries).toEqual([['0@lid']]);
  });

  it('of a live message are queried before those of lists', async () => {
    const { resolveNumbers, phoneOr } = await page({ canAskMany: false });
    void resolveNumbers(hidden(10));
    const live = wid('99@lid');
    const resolved = resolveNumbers([live], true);
    await vi.advanceTimersByTimeAsync(200);
    await resolved;
    expect(queries).toEqual([['0@lid'], ['99@lid'], ['1@lid']]);
    expect(phoneOr(live)).toBe('99@c.us');
  });

  it('of live messages are queried even during a long list', async () => {
    const { resolveNumbers, phoneOr } = await page();
    void resolveNumbers(hidden(1_000));
    const authors = hidden(30, 5_000);
    const resolved = Promise.all(authors.map((author) => resolveNumbers([author], true)));
    await vi.advanceTimersByTimeAsync(400);
    await resolved;
    expect(authors.map(phoneOr)).toEqual(authors.map((id) => String(id).replace('@lid', '@c.us')));
    expect(queries.every((ids) => ids.length <= 20)).toBe(true);
  });

  it('are queried one by one if the page throws for several', async () => {
    const { resolveNumbers } = await page({ failure: new TypeError('it has another form') });
    await resolveNumbers(hidden(2));
    const resolved = resolveNumbers(hidden(2, 10));
    await vi.advanceTimersByTimeAsync(200);
    await resolved;
    expect(queries).toEqual([['10@lid'], ['11@lid']]);
  });

  it('are queried in one request again after a refusal by the network', async () => {
    const { resolveNumbers } = await page({ failure: new Error('rate-overlimit') });
    await resolveNumbers(hidden(2));
    const resolved = resolveNumbers(hidden(2, 10));
    await vi.advanceTimersByTimeAsync(200);
    await resolved;
    expect(queries).toEqual([['10@lid', '11@lid']]);
  });

  it('are queried again if the first query did not start in time', async () => {
    const { resolveNumbers, phoneOr } = await page({ canAskMany: false });
    answerMs = 60_000;
    void resolveNumbers([wid('1@lid')], true);
    void resolveNumbers([wid('2@lid')], true);
    await vi.advanceTimersByTimeAsync(3_000);
    answerMs = 100;
    const resolved = resolveNumbers([wid('2@lid')], true);
    await vi.advanceTimersByTimeAsync(100);
    await resolved;
    expect(queries).toEqual([['1@lid'], ['2@lid']]);
    expect(phoneOr(wid('2@lid'))).toBe('2@c.us');
  });
});
