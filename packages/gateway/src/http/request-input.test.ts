import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeRequest, fakeGateway } from '../testing/fake-gateway.ts';

let gateway: Awaited<ReturnType<typeof fakeGateway>>;
beforeEach(async () => {
  gateway = await fakeGateway();
});
afterEach(() => gateway[Symbol.asyncDispose]());

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

it('a name that the caller has chosen is repeated only if it is a word', async () => {
  const metadata = (name: string) => ({ method: 'PUT', body: { metadata: { [name]: 1 } } });
  const issuesWith = (name: string) => issuesOf('/sessions/main/metadata', metadata(name));
  expect(await issuesWith('team')).toEqual(['metadata.team must be a string']);
  for (const name of ['__proto__', 'constructor', 'prototype'])
    expect(await issuesWith(name)).toEqual(['metadata must not have the names __proto__, constructor, prototype']);
  for (const secret of ['number-4915112345678', 'a secret', 'x'.repeat(100_000), '\u001b[2J', 'constructor1'])
    expect(JSON.stringify(await issuesWith(secret))).not.toContain(JSON.stringify(secret).slice(1, -1));
  const webhook = { url: 'https://x.example', headers: { 'X-Secret 1': 2 } };
  expect(await issuesOf('/webhooks', post(webhook))).toEqual(['headers must be a string']);
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

describe('a body that is not JSON is refused with the place and the kind of the fault', () => {
  it.each([
    ['', 'the body is empty; it must be a JSON object'],
    [' \n', 'the body is empty; it must be a JSON object'],
    ['[]', 'the body must be a JSON object'],
    ['"a"', 'the body must be a JSON object'],
    ['{"type":"text",}', 'the JSON of the body has a comma after the last item, at line 1, column 15'],
    ['{\n "body": "a\nb"}', 'the JSON of the body has a line break in a string; write it as \\n, at line 2, column 12'],
    ['{}{}', 'the JSON of the body has more text after its end, at line 1, column 3'],
    ['{\r\n"a":1\r\n', 'the JSON of the body ends before its closing }, at line 3, column 1'],
    ['a=b', 'the JSON of the body has no value where one is expected, at line 1, column 1'],
    // The upload is not kept in memory: the columns after it are unknown.
    ['{"base64":"AAAA",\n"a":1,}', 'the JSON of the body has a comma after the last item, at line 2'],
    ['{\0"\0a\0"\0', 'the body must be JSON in UTF-8'],
  ])('%j: %s', async (body, issue) => {
    const json = { 'content-type': 'application/json' };
    expect(await issuesOf(SENDS, { method: 'POST', headers: json, body })).toEqual([issue]);
  });
});

describe('media', () => {
  it.each([
    [{ base64: null }, 'base64 must be base64'],
    [{ base64: 5 }, 'base64 must be base64'],
    [{ base64: ['AAAA'] }, 'base64 must be base64'],
    [{ base64: { type: 'Buffer', data: [0] } }, 'base64 must be base64'],
    [{ base64: '' }, 'base64 must not be empty'],
    [{ url: '', base64: null }, 'base64 must be base64'],
    [{ url: '' }, 'url must be an http or https URL'],
    [{ url: null }, 'url must be a string'],
    [{}, 'url is required without base64', 'base64 is required without url'],
    [
      { url: 'https://example.org/a.png', base64: 'AAAA' },
      'url must not be given with base64',
      'base64 must not be given with url',
    ],
  ])('%j: %s', async (source, ...issues) => {
    expect(await issuesOf(SENDS, post({ type: 'image', to: '12025550102', ...source }))).toEqual(issues);
  });

  it.each([
    { url: '', base64: 'AAAA' },
    { url: null, base64: 'AAAA' },
    { url: 'https://example.org/a.png', base64: '' },
    { url: 'https://example.org/a.png', base64: null },
  ])('may have an empty field beside the other: %j', async (source) => {
    expect(await issuesOf(SENDS, post({ type: 'image', to: '12025550102', ...source }))).toBe(200);
    const [{ input } = { input: {} }] = gateway.handled;
    expect(Object.keys(input as object).filter((name) => ['url', 'base64'].includes(name))).toEqual(
      source.base64 ? ['base64'] : ['url'],
    );
  });
});
