import { GatewayError, STATUS_FEED } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import type { Posted } from '../page/models.ts';
import { freshHandlers, messageModel, upload } from '../testing/fake-page.ts';
import { messageHandlers } from './messages.ts';
import { statusFeedHandlers } from './status-feed.ts';

const { context, handlers } = freshHandlers((context) => ({
  ...messageHandlers(context),
  ...statusFeedHandlers(context),
}));

const posted = (ack: number): Posted => ({ message: messageModel({ to: STATUS_FEED, isStatus: true, ack }) });
const postImage = () =>
  handlers.postStatus({
    id: 'main',
    type: 'image',
    mimeType: 'image/png',
    base64: upload(context, 'a', Buffer.of(1, 2, 3)),
  });

describe.each([
  [
    'a text',
    (outcome: Posted) => context.page.on('postTextStatus', () => outcome),
    () => handlers.postStatus({ id: 'main', type: 'text', body: 'hello' }),
  ],
  [
    'a text sent to the feed as a message',
    (outcome: Posted) => context.page.on('postTextStatus', () => outcome),
    () => handlers.sendMessage({ id: 'main', type: 'text', to: STATUS_FEED, body: 'hello' }),
  ],
  ['an image', (outcome: Posted) => context.page.on('postMediaStatus', () => outcome), postImage],
] as const)('%s', (_, becomes, post) => {
  const answer = (outcome: Posted) => {
    becomes(outcome);
    return post();
  };

  it('is answered with its message and an ack of at least 1, since the page waits for the network', async () => {
    expect(await answer(posted(0))).toMatchObject({ id: messageModel().id, to: STATUS_FEED, ack: 1 });
    expect(await answer(posted(2))).toMatchObject({ ack: 2 });
    expect(context.page.calls.map(({ kind }) => kind)).toEqual(['change', 'change']);
  });

  it.each([
    ['code 463', 'rate_limited', { code: 463, retryAfterSeconds: 86_400 }, 86_400],
    ['code 479', 'not_permitted', { code: 479 }, undefined],
    ['ERROR_RATE_LIMIT', 'rate_limited', { name: 'ERROR_RATE_LIMIT', retryAfterSeconds: 60 }, 60],
  ])('that the network refuses with %s: %s', async (why, code, refused, retryAfterSeconds) => {
    const message = `the network refused the status (${why})`;
    await expect(answer({ refused })).rejects.toMatchObject({ code, message, retryAfterSeconds });
  });

  it('without a readable result: outcome_unknown', async () => {
    await expect(answer(undefined)).rejects.toMatchObject({ code: 'outcome_unknown' });
    const illegible = { message: messageModel({ t: undefined }) };
    await expect(answer(illegible)).rejects.toMatchObject({ code: 'outcome_unknown' });
  });
});

it('colour and font of a text may be next to the text or in its options; those next to it win', async () => {
  context.page.on('postTextStatus', () => posted(1));
  const text = { id: 'main', type: 'text', body: 'hello' } as const;
  const options = { backgroundColor: '#000000', font: 2 };
  await handlers.postStatus(text);
  await handlers.postStatus({ ...text, options });
  await handlers.postStatus({ ...text, options, backgroundColor: '#ffffff', font: 0 });
  expect(context.page.calls.map(({ args }) => args.slice(0, 3))).toEqual([
    ['hello', undefined, undefined],
    ['hello', '#000000', 2],
    ['hello', '#ffffff', 0],
  ]);
});

describe('the statuses of others', () => {
  const status = { ...messageModel({ body: 'hello', isStatus: true }), seen: true };

  it('are listed without unreadable ones', async () => {
    context.page.on('loadStatuses', () => undefined);
    context.page.on('listStatuses', () => [
      { from: '12025550102@c.us', statuses: [status, {} as never] },
      { from: '12025550103@c.us', statuses: [{} as never] },
      { from: undefined, statuses: [status] },
    ]);
    const listed = await handlers.listStatuses({ id: 'main' });
    expect(listed).toMatchObject([{ from: '12025550102@c.us', statuses: [{ body: 'hello', seen: true }] }]);
    expect(listed[0]?.statuses).toHaveLength(1);
  });

  it('that the page cannot load are an error, unless the requested one is in its memory', async () => {
    const { listStatuses: list, markStatusSeen: mark } = handlers;
    context.page.on('loadStatuses', () => {
      throw new GatewayError('client_failed', 'no storage');
    });
    context.page.on('listStatuses', () => []);
    await expect(list({ id: 'main' })).rejects.toMatchObject({ code: 'client_failed' });
    const messageId = 'false_status@broadcast_3A';
    context.page.on('markStatusSeen', () => false);
    await expect(mark({ id: 'main', messageId })).rejects.toMatchObject({ code: 'client_failed' });
    context.page.on('loadStatuses', () => {
      throw new GatewayError('session_lost', 'the page is gone'); // Of a query, which changes nothing.
    });
    await expect(mark({ id: 'main', messageId })).rejects.toMatchObject({ code: 'client_failed' });
    context.page.on('markStatusSeen', () => true);
    expect(await mark({ id: 'main', messageId })).toEqual({ id: messageId, seen: true });
  });

  it('that the page does not have is the error message_not_found', async () => {
    context.page.on('loadStatuses', () => undefined).on('markStatusSeen', () => false);
    const marking = handlers.markStatusSeen({ id: 'main', messageId: 'false_status@broadcast_3A' });
    await expect(marking).rejects.toMatchObject({ code: 'message_not_found' });
  });
});
