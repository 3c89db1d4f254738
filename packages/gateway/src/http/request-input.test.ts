import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeRequest, fakeGateway } from '../testing/fake-gateway.ts';

let gateway: Awaited<ReturnType<typeof fakeGateway>>;
beforeEach(async () => {
  gateway = await fakeGateway();
});
afterEach(() => gateway[Symbol.dispose]());

const SENDS = '/sessions/main/messages';
const text = { type: 'text', to: '12025550102', body: 'Hello' };
const png = { type: 'image', to: '12025550102', base64: 'AAAA' };
const post = (body: unknown): FakeRequest => ({ method: 'POST', body });

/** The issues of a refused request, which reaches no handler; the status of any other. */
async function issuesOf(path: string, sent?: FakeRequest): Promise<unknown> {
  const answer = await gateway.request(path, sent);
  if (answer.status !== 400) return answer.status;
  expect(gateway.handled).toEqual([]);
  const { issues } = (await answer.json()) as { issues: { path: string; message: string }[] };
  return issues.map(({ path, message }) => (path ? `${path} ${message}` : message));
}

describe('an unknown field of a body', () => {
  it.each([
    [{ ...text, quotedMessageID: 'x' }, 'quotedMessageID is unknown; did you mean quotedMessageId?'],
    [{ ...text, quoted_message_id: 'x' }, 'quoted_message_id is unknown; did you mean quotedMessageId?'],
    [{ ...text, bodyy: 'x' }, 'bodyy is unknown; did you mean body?'],
    [{ ...text, replyTo: 'x' }, 'replyTo is unknown'],
    [{ ...text, Caption: 'x' }, 'Caption is unknown'], // Not of this kind of message.
    [{ ...text, '12025550102': 'x' }, 'there is an unknown field'],
    [{ ...text, 'Hello, how are you?': 'x' }, 'there is an unknown field'],
    [{ ...png, Caption: 'x' }, 'Caption is unknown; did you mean caption?'],
    [{ ...png, fileName: 'x' }, 'fileName is unknown; did you mean filename?'],
    [{ ...png, file_name: 'x' }, 'file_name is unknown; did you mean filename?'],
    [{ ...png, mimetype: 'x' }, 'mimetype is unknown; did you mean mimeType?'],
    [{ ...png, viewonce: true }, 'viewonce is unknown; did you mean viewOnce?'],
    [{ ...png, asDocument: true }, 'asDocument is unknown'],
    [{ ...png, ptt: true }, 'ptt is unknown'],
    [
      { type: 'contact', to: '12025550102', contacts: [{ name: 'Ben', number: '12025550102', organisation: 'x' }] },
      'contacts.0.organisation is unknown; did you mean organization?',
    ],
  ])('%j: %s', async (body, issue) => {
    expect(await issuesOf(SENDS, post(body))).toEqual([issue]);
  });

  it('is refused by every other operation with a body', async () => {
    const status = { type: 'text', body: 'x', options: { backgroundcolor: '#128C7E' } };
    expect(await issuesOf('/sessions/main/status', post(status))).toEqual([
      'options.backgroundcolor is unknown; did you mean backgroundColor?',
    ]);
    const group = { subject: 'x', participants: ['12025550102'], Description: 'x' };
    expect(await issuesOf('/sessions/main/groups', post(group))).toEqual(['Description is unknown']);
    expect(await issuesOf('/sessions/main/start', post({ takeback: true }))).toEqual([
      'takeback is unknown; did you mean takeBack?',
    ]);
    const put = { method: 'PUT', body: { sendmessages: 'admins' } };
    expect(await issuesOf('/sessions/main/groups/1@g.us/settings', put)).toContain(
      'sendmessages is unknown; did you mean sendMessages?',
    );
  });
});

describe('a query', () => {
  it('with an unknown parameter is refused by every operation', async () => {
    expect(await issuesOf('/sessions/main/contacts?verbose=1')).toEqual(['verbose is unknown']);
    expect(await issuesOf('/sessions?x=')).toEqual(['x is unknown']);
    expect(await issuesOf('/sessions/main/search?text=a&chatid=1')).toEqual([
      'chatid is unknown; did you mean chatId?',
    ]);
    expect(await issuesOf(`${SENDS}?dryRun=true`, post(text))).toEqual(['dryRun is unknown']);
    expect(await issuesOf('/sessions/main/search?text=a&events[]=b')).toEqual(['events[] is unknown']);
  });

  it('with a parameter that occurs twice is refused', async () => {
    expect(await issuesOf('/sessions/main/search?text=a&limit=1&limit=2&text=a')).toEqual([
      'text must occur only once',
      'limit must occur only once',
    ]);
  });

  it.each([
    '+12025550102', // Arrives with a blank.
    '+12025550102@c.us',
    '%2B12025550102',
    '%2B1+(202)+555-0102',
    '0012025550102',
    '12025550102@s.whatsapp.net',
  ])('may have the number as chatId=%s', async (chatId) => {
    expect(await issuesOf(`/sessions/main/search?text=a&chatId=${chatId}`)).toBe(200);
    expect(gateway.handled).toMatchObject([{ input: { chatId: '12025550102@c.us' } }]);
  });
});

describe('a path', () => {
  it.each(['ORDER_17==', 'a/b+c', 'd%25?e#f', "o'clock @{x}", 'Ünï-日本-👍', 'x'.repeat(270)])(
    'may have the message id %s',
    async (key) => {
      const messageId = `false_12025550102@c.us_${key}`;
      expect(await issuesOf(`${SENDS}/${encodeURIComponent(messageId)}`)).toBe(200);
      expect(gateway.handled).toMatchObject([{ name: 'getMessage', input: { messageId } }]);
    },
  );
});
