import { beforeEach, describe, expect, it, vi } from 'vitest';
import { freshProgram, stubPage } from '../../testing/page-registry.ts';

class MsgKey {
  readonly to: string;
  readonly id: string;
  readonly participant: string | undefined;
  constructor({ to, id, participant }: { to: string; id: string; participant?: string }) {
    Object.assign(this, { to, id, participant });
    [this.to, this.id, this.participant] = [to, id, participant];
  }
  toString(): string {
    return ['true', this.to, this.id, ...(this.participant ? [this.participant] : [])].join('_');
  }
}

const held = new Set<string>();
let sent: { id: MsgKey; body: string; chatWebMark?: unknown }[];
let signals: unknown[];

let modules: Record<string, unknown>;
let tools: typeof import('./outcomes.ts');

/** A page whose module is transformed by `form`. */
function page(form: (exports: { addAndSendMsgToChat: unknown }) => object) {
  const sends = form({
    addAndSendMsgToChat: (_: unknown, message: (typeof sent)[number]) => {
      sent.push(message);
      return [Promise.resolve(message), Promise.resolve({ messageSendResult: 'OK' })];
    },
  }) as { addAndSendMsgToChat(chat: object, message: object): unknown };
  const collections = { Msg: { get: (id: string) => (held.has(id) ? {} : undefined) } };
  const own = { WAWebSendMsgChatAction: sends, WAWebMsgKey: MsgKey, WAWebCollections: collections };
  modules = stubPage(own, { window: { chatWebSignal: (json: string) => signals.push(JSON.parse(json)) } });
  tools.canIdentify();
  const draft = (participant?: string) => ({
    id: new MsgKey({ to: 'b', id: 'LIBRARY', ...(participant && { participant }) }),
    from: 'a',
    to: 'b',
    body: 'hello',
    chatWebMark: { call: '7', messageId: '3EB0' },
  });
  return { send: (message: object = draft()) => sends.addAndSendMsgToChat({}, message), draft };
}

freshProgram();
beforeEach(async () => {
  tools = await import('./outcomes.ts');
  vi.useFakeTimers();
  [sent, signals] = [[], []];
  held.clear();
});

describe('a marked message', () => {
  it('gets the chosen id, and does not contain the mark', () => {
    const { send, draft } = page((exports) => exports);
    expect(tools.canIdentify()).toBe(true);
    send(draft('me@lid'));
    expect(sent.map(({ id, chatWebMark }) => [String(id), chatWebMark])).toEqual([['true_b_3EB0_me@lid', undefined]]);
    expect(signals).toEqual([
      { is: 'own', id: 'true_b_3EB0_me@lid' },
      { is: 'handed', call: '7', id: 'true_b_3EB0_me@lid' },
    ]);
    expect(tools.handedId('7')).toBe('true_b_3EB0_me@lid');
  });

  it('is not handed over twice', () => {
    const { send } = page((exports) => exports);
    held.add('true_b_3EB0');
    expect(() => send()).toThrow('already');
    expect([sent, signals]).toEqual([[], []]);
  });

  it('is only signalled once the page has accepted it', () => {
    const { send } = page(() => ({
      addAndSendMsgToChat: () => {
        throw new Error('no');
      },
    }));
    expect(() => send()).toThrow('no');
    expect(signals).toEqual([]);
  });
});

describe('a forwarded message', () => {
  const chat = { id: 'c@c.us' } as never;
  const other = { id: 'd@c.us' } as never;
  const plain = (body: string) => ({
    id: new MsgKey({ to: 'b', id: 'PAGE' }),
    from: 'a',
    to: 'b',
    body,
    forwardedFromWeb: true,
  });
  const hand = (to: unknown, message: object) => {
    const { WAWebSendMsgChatAction: action } = modules as { WAWebSendMsgChatAction: { addAndSendMsgToChat: unknown } };
    (action.addAndSendMsgToChat as (...args: unknown[]) => unknown)(to, message);
  };

  it('is the next one to its chat, and gets the chosen id', async () => {
    page((exports) => exports);
    const expected = tools.expectForward(chat, { call: '7', messageId: '3EB0' });
    expect(tools.expectForward(chat, { call: '8' })).toBeUndefined();
    hand(other, plain('elsewhere'));
    hand(chat, { ...plain('typed'), forwardedFromWeb: false });
    hand(chat, plain('forwarded'));
    hand(chat, plain('another'));
    expect(await expected).toMatchObject({ id: 'true_b_3EB0' });
    expect(sent.map(({ id }) => String(id))).toEqual(['true_b_PAGE', 'true_b_PAGE', 'true_b_3EB0', 'true_b_PAGE']);
    const handed = signals.filter((signal) => (signal as { readonly is: string }).is === 'handed');
    expect(handed).toEqual([{ is: 'handed', call: '7', id: 'true_b_3EB0' }]);
  });

  it('is not a part of the previous message, which the page forwards later', async () => {
    page((exports) => exports);
    const first = tools.expectForward(chat, { call: '7', messageId: '3EB01' });
    hand(chat, plain('with a copy in HD'));
    const { id } = (await first) as { id: string };
    const next = tools.expectForward(chat, { call: '8', messageId: '3EB02' });
    hand(chat, { ...plain('the copy'), parentMsgKey: sent.at(-1)?.id });
    hand(chat, { ...plain('part of an album elsewhere'), parentMsgKey: new MsgKey({ to: 'd', id: 'ALBUM' }) });
    expect(id).toBe('true_b_3EB01');
    expect(await next).toMatchObject({ id: 'true_b_3EB02' });
    expect(sent.map(({ id: key }) => String(key))).toEqual(['true_b_3EB01', 'true_b_PAGE', 'true_b_3EB02']);
  });

  it('keeps its id if none was chosen, and is no longer expected once forwarding has ended', async () => {
    page((exports) => exports);
    const mark = { call: '7' };
    const expected = tools.expectForward(chat, mark);
    tools.endForward(chat, { call: '8' });
    hand(chat, { ...plain('forwarded'), forwardedFromWeb: undefined, multicast: true });
    expect(await expected).toMatchObject({ id: 'true_b_PAGE' });
    const late = { call: '9', messageId: '3EB0' };
    tools.expectForward(chat, late);
    tools.endForward(chat, late);
    hand(chat, plain('by hand'));
    expect(String(sent.at(-1)?.id)).toBe('true_b_PAGE');
  });
});

it.each([
  ['frozen', Object.freeze],
  [
    'with getters',
    ({ addAndSendMsgToChat }: object & { addAndSendMsgToChat: unknown }) =>
      Object.defineProperty({}, 'addAndSendMsgToChat', { get: () => addAndSendMsgToChat }),
  ],
])('a build that freezes its modules %s, reports that no id can be chosen', (_, form) => {
  const { send } = page(form as never);
  expect(tools.canIdentify()).toBe(false);
  send();
  expect(sent.map(({ id }) => String(id))).toEqual(['true_b_LIBRARY']);
});

it('a module that is loaded late is wrapped by the time of the first send', () => {
  const late: { addAndSendMsgToChat?: unknown } = {};
  const { send } = page((exports) => {
    Object.assign(late, { whole: exports });
    return late;
  });
  expect(tools.canIdentify()).toBe(false);
  Object.assign(late, (late as { whole: object }).whole);
  expect(tools.canIdentify()).toBe(true);
  send();
  expect(sent.map(({ id }) => String(id))).toEqual(['true_b_3EB0']);
});

describe('the deletion of an own status', () => {
  const message = { id: 'x' } as never;
  /** A page with this deletion; without a feed unless one is given. */
  const revoking = (revoke: (feed: { revokeMsgs(ids: string[]): void }) => unknown, failures?: object) => {
    page((exports) => exports);
    modules.WAWebCollections = { Status: { getMyStatus: () => undefined } };
    modules.WAWebRevokeStatusAction = { sendStatusRevokeMsgAction: async (feed: never) => revoke(feed) };
    if (failures) modules.WAWebPostSendStatusFailure = failures;
  };

  it('does not need a loaded feed', async () => {
    revoking((feed) => feed.revokeMsgs(['x']));
    expect(await tools.revokeStatus(message)).toBe(true);
  });

  it('fails if the page reports a failure internally, which it still does', async () => {
    const report = vi.fn();
    const failures = { postStatusSendFailure: report };
    revoking(() => failures.postStatusSendFailure('offline'), failures);
    expect(await tools.revokeStatus(message)).toBe(false);
    expect(report.mock.calls).toEqual([['offline']]);
  });

  it('does not wait for another one; a failure report applies to all pending ones, but not to later ones', async () => {
    const failures = { postStatusSendFailure: vi.fn() };
    const ends: (() => void)[] = [];
    revoking(() => new Promise<void>((resolve) => ends.push(resolve)), failures);
    const [first, second] = [tools.revokeStatus(message), tools.revokeStatus(message)];
    expect(ends).toHaveLength(2);
    failures.postStatusSendFailure('offline');
    for (const end of ends) end();
    expect(await Promise.all([first, second])).toEqual([false, false]);
    const third = tools.revokeStatus(message);
    ends[2]?.();
    expect(await third).toBe(true);
  });

  it("rethrows the page's error, and is no longer pending", async () => {
    const failures = { postStatusSendFailure: vi.fn() };
    revoking(() => Promise.reject(new Error('no')), failures);
    await expect(tools.revokeStatus(message)).rejects.toThrow('no');
    modules.WAWebRevokeStatusAction = { sendStatusRevokeMsgAction: async () => {} };
    expect(await tools.revokeStatus(message)).toBe(true);
  });

  it('counts as done in a build that freezes its modules', async () => {
    revoking(() => {}, Object.freeze({ postStatusSendFailure: () => {} }));
    expect(await tools.revokeStatus(message)).toBe(true);
  });
});
