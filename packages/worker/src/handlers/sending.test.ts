import { GatewayError, STATUS_FEED } from '@chat-web/protocol';
import { mediaCorpus, webp } from '@chat-web/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SendAnswer } from '../page/messages.ts';
import type { SendState } from '../page/models.ts';
import { freshHandlers, messageModel, upload } from '../testing/fake-page.ts';
import { messageHandlers } from './messages.ts';

const BEN = '12025550102@c.us';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const { context, handlers } = freshHandlers(messageHandlers);
/** The page answers a send, checked or not. */
const answers = (answer: () => SendAnswer) => context.page.onSend('sendMessage', answer);
/** The page requires a check of the recipient before it sends. */
const answersUnchecked = () =>
  context.page.onSend('sendMessage', (isChecked) =>
    isChecked ? { model: messageModel(), state: { ack: 1 } } : 'unchecked',
  );

beforeEach(() => {
  context.page.on('checkSend', async () => {});
  answers(() => ({ model: messageModel(), state: { ack: 1 } }));
});

const sendText = (fields: { quotedMessageId?: string } = {}) =>
  handlers.sendMessage({ id: 'main', type: 'text', to: BEN, body: 'hello', ...fields });

interface FileFields {
  readonly type?: 'image' | 'video' | 'audio' | 'document' | 'sticker';
  readonly to?: string;
  readonly bytes?: string | Buffer;
  readonly mimeType?: string;
  readonly filename?: string;
  readonly caption?: string;
}
const sendFile = ({ type = 'image', to = BEN, bytes = PNG, ...fields }: FileFields = {}) =>
  handlers.sendMessage({
    id: 'main',
    type,
    to,
    base64: upload(context, 'a', bytes),
    ...fields,
  });

const lost = (code: 'session_lost' | 'outcome_unknown' | 'session_not_ready' | 'client_failed') => (): never => {
  throw new GatewayError(code, 'the page was lost');
};

it('a card has the number of a person instead of the hidden id, or is refused', async () => {
  const LID = '81604523377102@lid';
  const send = (...numbers: string[]) =>
    handlers.sendMessage({
      id: 'main',
      type: 'contact',
      to: BEN,
      contacts: numbers.map((number) => ({ name: 'Ben', number })),
    });
  const cards = () => JSON.stringify(context.page.callsOf('sendMessage').at(-1));
  await send(BEN);
  expect(context.page.callsOf('numbersOf')).toEqual([]);
  context.page.on('numbersOf', (people) => people.map((id) => (id === LID ? '12025550102' : undefined)));
  await send(BEN, LID);
  expect(context.page.callsOf('numbersOf')).toMatchObject([{ kind: 'read', args: [[LID]] }]);
  expect(cards().match(/waid=12025550102:\+12025550102/g)).toHaveLength(2);
  const sent = context.page.callsOf('sendMessage').length;
  await expect(send(BEN, '7@lid', '1@bot')).rejects.toMatchObject({
    code: 'invalid_request',
    issues: ['1', '2'].map((n) => ({ path: `contacts.${n}.number`, message: expect.stringContaining('the number') })),
  });
  context.page.on('numbersOf', () => ['5:+1;x=\n']);
  await expect(send(LID)).rejects.toMatchObject({ code: 'invalid_request' });
  expect(context.page.callsOf('sendMessage')).toHaveLength(sent);
});

describe.each([
  ['a text', () => sendText()],
  ['a file', () => sendFile()],
])('the check before %s is sent', (_, send) => {
  it.each(['recipient_not_found', 'rate_limited'] as const)('refuses it as %s: nothing is sent', async (code) => {
    answersUnchecked().on('checkSend', () => {
      throw new GatewayError(code, 'the page refuses');
    });
    await expect(send()).rejects.toMatchObject({ code });
    const unchecked = context.page.calls.filter(({ name, args }) => name !== 'sendMessage' || args[0] === true);
    expect(unchecked.map(({ name }) => name)).toEqual(['checkSend']);
    expect({ files: context.page.files, confirmations: context.page.confirmations }).toEqual({
      files: [],
      confirmations: [],
    });
  });

  it('that is lost: client_failed, as nothing was sent; other errors keep their code', async () => {
    answersUnchecked().on('checkSend', lost('session_lost'));
    await expect(send()).rejects.toMatchObject({
      code: 'client_failed',
      message: 'nothing was sent: the page was lost',
    });
    for (const code of ['session_not_ready', 'client_failed'] as const) {
      context.page.on('checkSend', lost(code));
      await expect(send()).rejects.toMatchObject({ code });
    }
    expect(context.page.callsOf('sendMessage').filter(({ args }) => args[0] === true)).toEqual([]);
  });
});

describe.each([
  ['a text', () => sendText()],
  ['a file', () => sendFile()],
])('%s', (_, send) => {
  it.each([
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
    [5, 4],
  ])('with ack %i from the network is answered with ack %i', async (ack, shown) => {
    answers(() => ({ model: messageModel(), state: { ack } }));
    expect(await send()).toMatchObject({ id: messageModel().id, ack: shown });
    expect(context.page.confirmations).toEqual([true]);
  });

  it('that the network does not confirm in time: outcome_unknown with the id of the message', async () => {
    const unconfirmed = { code: 'outcome_unknown', message: expect.stringContaining(messageModel().id) };
    answers(() => ({ model: messageModel(), state: { ack: 0 } }));
    await expect(send()).rejects.toMatchObject(unconfirmed);
    answers(() => ({ model: messageModel() }));
    await expect(send()).rejects.toMatchObject(unconfirmed);
    expect(context.page.confirmations).toEqual([false, false]);
  });

  it('with an unreadable ack: outcome_unknown, and not refused', async () => {
    for (const state of [{}, { ack: null }, { ack: Number.NaN }, { ack: 'x' }, { ack: 0.5 }, undefined]) {
      answers(() => ({ model: messageModel(), state: state as SendState }));
      await expect(send()).rejects.toMatchObject({ code: 'outcome_unknown' });
    }
  });

  it.each<[unknown]>([['1'], [true], [[3]], [{}], [{ toString: 1, valueOf: 1 }]])(
    'whose ack is not a number (%j): outcome_unknown',
    async (ack) => {
      answers(() => ({ model: messageModel(), state: { ack } as SendState }));
      await expect(send()).rejects.toMatchObject({ code: 'outcome_unknown' });
      expect(context.page.confirmations).toEqual([false]);
    },
  );

  it.each<[NonNullable<SendState['refused']> | undefined, string, number | undefined, string]>([
    [undefined, 'not_permitted', undefined, ''],
    [{ name: 'ERROR_UNKNOWN', code: 500 }, 'not_permitted', undefined, ' (ERROR_UNKNOWN, code 500)'],
    [{ code: 479 }, 'not_permitted', undefined, ' (code 479)'],
    [{ code: 429, retryAfterSeconds: 60 }, 'rate_limited', 60, ' (code 429)'],
    [{ code: 429, retryAfterSeconds: 1e9 }, 'rate_limited', 86_400, ' (code 429)'],
  ])('refused with %j: %s', async (refused, code, retryAfterSeconds, why) => {
    answers(() => ({ model: messageModel(), state: { ack: -1, ...(refused ? { refused } : {}) } }));
    const message = `the network refused the message${why}`;
    await expect(send()).rejects.toMatchObject({ code, message, retryAfterSeconds });
    expect(context.page.confirmations).toEqual([true]); // A refusal proves a connection, as an ack does.
  });

  it('that the page does not send: client_failed', async () => {
    const refused = { name: 'ERROR_UPLOAD' };
    answers(() => ({ model: messageModel(), state: { ack: -1, refused } }));
    const message = 'the page did not send the message (ERROR_UPLOAD)';
    await expect(send()).rejects.toMatchObject({ code: 'client_failed', message });
  });

  it('without a readable result: outcome_unknown', async () => {
    for (const model of [undefined, { ...messageModel(), t: undefined }]) {
      answers(() => ({ model, state: { ack: 1 } }) as SendAnswer);
      await expect(send()).rejects.toMatchObject({ code: 'outcome_unknown' });
    }
    expect(context.page.confirmations).toEqual([]);
  });

  it('during which the page is lost keeps its error code', async () => {
    for (const code of ['outcome_unknown', 'session_not_ready', 'client_failed'] as const) {
      context.page.onSend('sendMessage', lost(code));
      await expect(send()).rejects.toMatchObject({ code });
    }
  });
});

describe('a text for a chat that the page knows', () => {
  it('takes one call', async () => {
    await sendText();
    expect(context.page.calls.map(({ kind, name }) => [kind, name])).toEqual([['send', 'sendMessage']]);
  });

  it('is checked first if the page does not know the chat', async () => {
    answersUnchecked();
    await sendText({ quotedMessageId: 'false_12025550102@c.us_3EB0BB' });
    expect(context.page.calls.map(({ kind, name, args }) => [kind, name, args[0]])).toEqual([
      ['send', 'sendMessage', false],
      ['read', 'checkSend', BEN],
      ['send', 'sendMessage', true],
    ]);
    expect(context.page.callsOf('checkSend')[0]?.args).toEqual([BEN, 'false_12025550102@c.us_3EB0BB']);
  });
});

it('a text is sent unchanged, even if it looks like a contact card', async () => {
  await sendText({ quotedMessageId: 'false_12025550102@c.us_3EB0BB' });
  const [, to, body, options] = context.page.callsOf('sendMessage')[0]?.args ?? [];
  expect([to, body]).toEqual([BEN, 'hello']);
  expect(options).toMatchObject({ parseVCards: false, quotedMessageId: 'false_12025550102@c.us_3EB0BB' });
});

describe('a file', () => {
  /** The options of the last send. */
  const options = () => context.page.callsOf('sendMessage').at(-1)?.args[3];

  it('has the type of its bytes, and always a name', async () => {
    await sendFile({ caption: 'look' });
    expect(options()).toMatchObject({
      media: { data: 'file:1', mimetype: 'image/png', filename: 'image.png' },
      caption: 'look',
      isCaptionByUser: true,
      sendMediaAsDocument: false,
      sendMediaAsSticker: false,
    });
    await sendFile({ mimeType: 'image/jpeg', filename: 'cat.jpeg' });
    expect(options()).toMatchObject({
      media: { mimetype: 'image/png', filename: 'cat.jpeg' },
      isCaptionByUser: false,
    });
  });

  it.each([
    ['clip.mp4', 'audio/mp4'],
    ['song.m4a', 'audio/mp4'],
    ['song.opus', 'audio/ogg; codecs=opus'],
    ['song.mp3', 'audio/mpeg'],
  ])('as audio (%s) is passed to the page as %s, which determines the kind', async (name, mimetype) => {
    const bytes = mediaCorpus.find((file) => file.name === name)?.bytes ?? '';
    await sendFile({ type: 'audio', bytes, caption: 'which audio cannot have' });
    expect(options()).toMatchObject({ media: { mimetype }, caption: undefined, isCaptionByUser: false });
  });

  it('that is empty or of another kind than requested is rejected before the browser loads it', async () => {
    for (const [fields, path] of [
      [{}, 'base64'],
      [{ mimeType: 'text/plain' }, 'mimeType'],
    ] as const) {
      const refused = { code: 'invalid_request', issues: [{ path }] };
      await expect(sendFile({ type: 'video', ...fields })).rejects.toMatchObject(refused);
    }
    await expect(sendFile({ bytes: '' })).rejects.toMatchObject({ code: 'media_unavailable' });
    expect(context.page.files).toEqual([]);
  });

  it('as a document is answered with the sent name and type', async () => {
    const sent = await sendFile({ type: 'document', bytes: 'a,b', mimeType: 'text/csv', filename: 'a.csv' });
    expect(sent).toMatchObject({ mimeType: 'text/csv', filename: 'a.csv' });
    expect(options()).toMatchObject({ sendMediaAsDocument: true });
  });

  it('as a sticker is converted to WebP first if necessary, and has no caption', async () => {
    context.page.on('makeSticker', () => true);
    await sendFile({ type: 'sticker', caption: 'look' });
    expect(context.page.callsOf('makeSticker').map(({ args }) => args)).toEqual([['file:1', 102_400]]);
    expect(options()).toMatchObject({
      media: { mimetype: 'image/webp' },
      caption: undefined,
      sendMediaAsSticker: true,
    });
    await sendFile({ type: 'sticker', bytes: webp(512, 512) });
    expect(context.page.callsOf('makeSticker')).toHaveLength(1);
    await sendFile({ type: 'sticker', bytes: webp(100, 100) });
    expect(context.page.callsOf('makeSticker')).toHaveLength(2);
  });

  it('that cannot be converted to a sticker: an error that says why, and nothing is sent', async () => {
    for (const [answer, code] of [
      [() => false, 'media_unavailable'],
      [lost('session_lost'), 'client_failed'],
    ] as const) {
      context.page.on('makeSticker', answer);
      await expect(sendFile({ type: 'sticker' })).rejects.toMatchObject({ code });
    }
    expect(context.page.callsOf('sendMessage')).toEqual([]);
  });

  it('for the status feed is posted, without a check or a wait for an ack', async () => {
    context.page.on('postMediaStatus', () => ({ message: messageModel({ to: STATUS_FEED, isStatus: true }) }));
    expect(await sendFile({ to: STATUS_FEED, caption: 'look' })).toMatchObject({ to: STATUS_FEED, ack: 1 });
    expect(context.page.calls.map(({ kind, name, args }) => [kind, name, args])).toEqual([
      [
        'change',
        'postMediaStatus',
        [{ data: 'file:1', mimetype: 'image/png', filename: 'image.png' }, 'look', undefined],
      ],
    ]);
  });
});
