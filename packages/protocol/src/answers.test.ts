import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { workerEvent, workerMessage } from './ipc.ts';
import { operations } from './operations/index.ts';

const family = '👩‍👩‍👧‍👦';
const person = (n: number) => `${12025550000 + n}@c.us`;
const repeat = <T>(times: number, make: (n: number) => T) => Array.from({ length: times }, (_, n) => make(n));
const message = {
  id: `false_120363000000000001@g.us_3EB0AA_${person(1)}`,
  from: '120363000000000001@g.us',
  to: person(2),
  fromMe: false,
  body: 'hello',
  type: 'text',
  timestamp: 1_700_000_000,
  ack: 1,
  hasMedia: false,
  isForwarded: false,
  isStatus: false,
  mentionedIds: [] as string[],
};
const inGateway = (event: unknown) => v.is(workerMessage, { type: 'event', event });

describe('data of a regular account is valid', () => {
  it('10,000 contacts with emoji for names', () => {
    const flags = { isMyContact: true, isWAContact: true, isBusiness: false, isBlocked: false };
    const contacts = repeat(10_000, (n) => ({
      id: person(n),
      lid: `${n + 1}@lid`,
      name: family.repeat(25),
      pushname: 'Zoë 😀',
      number: '12025550101',
      ...flags,
    }));
    expect(v.is(operations.listContacts.answer, contacts)).toBe(true);
  });

  it('10,000 chats whose last messages have the maximum length', () => {
    const lastMessage = { body: '😀'.repeat(65_536), timestamp: 1_700_000_000, fromMe: false };
    const chats = repeat(10_000, (n) => ({ id: person(n), name: family, lastMessage, unreadCount: 1_000_000 }));
    expect(v.is(operations.listChats.answer, chats)).toBe(true);
  });

  it('groups of 1,024 members, all of them mentioned in a text of 65,536 characters', () => {
    const groups = repeat(2_000, (n) => ({ id: `${n}@g.us`, subject: family, participantCount: 1_024, isAdmin: true }));
    expect(v.is(operations.listGroups.answer, groups)).toBe(true);
    const mentionedIds = repeat(1_024, person);
    expect(inGateway({ name: 'message', message: { ...message, body: '漢'.repeat(65_536), mentionedIds } })).toBe(true);
  });
});

it('a message of a type of another version is of an unknown one', () => {
  const quoted = { type: 'hologram', body: '' };
  for (const type of ['ptv', 'hologram'])
    expect(v.parse(operations.getMessage.answer, { ...message, type, quoted })).toEqual({
      ...message,
      type: 'unknown',
      quoted: { ...quoted, type: 'unknown' },
    });
});

const png = 'data:image/png;base64,iVBORw0KGgo';
const file = { file: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', size: 1, mimeType: 'a/b' };

describe('data that our workers never send is invalid', () => {
  it.each<[string, unknown]>([
    ['a QR that ends its line', { name: 'qr', qr: `${png}\n\nevent: ready\ndata: {}` }],
    ['a QR that is no PNG', { name: 'qr', qr: 'data:image/png;base64,PHN2Zz4=' }],
    ['a QR that is too large', { name: 'qr', qr: `${png}${'A'.repeat(200_000)}` }],
    ['a gap at no time', { name: 'gap', from: 0, to: 1e300, chats: 0 }],
    ['a gap before all time', { name: 'gap', from: -1, to: 0, chats: 0 }],
    ['a message at no time', { name: 'message', message: { ...message, timestamp: 1e300 } }],
    ['a message whose id has a line break', { name: 'message', message: { ...message, id: 'a\nb' } }],
    ['a message without end', { name: 'message', message: { ...message, body: 'x'.repeat(300_000) } }],
    ['mentions without end', { name: 'message', message: { ...message, mentionedIds: Array(6_000).fill('1@c.us') } }],
    ['a page whose version is a path', { name: 'page', version: '../../x', testIds: true, lacking: [], findings: [] }],
    [
      'lacks without end',
      {
        name: 'page',
        version: '2.3',
        testIds: true,
        lacking: Array(101).fill({ capability: 'x', reason: '' }),
        findings: [],
      },
    ],
    ['an event of another name', { name: 'ready\n', info: {} }],
  ])('%s', (_, event) => expect(inGateway(event)).toBe(false));

  it.each<[string, object]>([
    ['a path', { ...file, file: '/etc/passwd' }],
    ['a path through its folder', { ...file, file: `../other/${file.file}` }],
    ['a type that ends its header', { ...file, mimeType: 'a/b\r\nx: y' }],
    ['a name that ends its header', { ...file, filename: 'a\r\nx: y' }],
    ['a size that is none', { ...file, size: -1 }],
    ['more than there can be', { ...file, size: 1e15 }],
  ])('media with %s', (_, media) => {
    expect(v.is(operations.getMedia.answer, file)).toBe(true);
    expect(v.is(operations.getMedia.answer, media)).toBe(false);
  });

  it('endless lists', () => {
    const group = { id: '1@g.us', subject: 'x' };
    expect(v.is(operations.listGroups.answer, Array(100_001).fill(group))).toBe(false);
  });

  it.each<[string, unknown]>([
    ['more than ten', Object.fromEntries(repeat(11, (n) => [`field${'abcdefghijk'[n]}`, n]))],
    ['a list', ['x']],
    ['a key with a line break', { 'a\nb': 1 }],
    ['a key with a dot', { 'a.b': 1 }],
    ['an empty key', { '': 1 }],
    ['a key of 31 letters', { ['x'.repeat(31)]: 1 }],
    ['an object', { detail: {} }],
    ['a list of values', { detail: ['x'] }],
    ['null', { detail: null }],
    ['a number that is none', { detail: Number.POSITIVE_INFINITY }],
    ...['level', 'time', 'msg', 'pid', 'hostname', 'session', 'run', 'source', 'audit'].map(
      (key): [string, unknown] => [`the gateway's own field ${key}`, { [key]: 'x' }],
    ),
  ])('fields of a log line with %s', (_, fields) => {
    expect(v.is(workerMessage, { type: 'log', level: 'info', event: 'page loaded', fields })).toBe(false);
  });

  it('a log line of another level, or with the text where the event is expected', () => {
    expect(v.is(workerMessage, { type: 'log', level: 'fatal', event: 'page loaded' })).toBe(false);
    expect(v.is(workerMessage, { type: 'log', level: 'info', text: 'page loaded' })).toBe(false);
  });

  it('texts of a log line are cut and kept on one line', () => {
    const long = `a\r\n\u001b[2J${'x'.repeat(9_999)}`;
    const fields = { detail: long, count: 3, isRetry: true };
    const line = v.parse(workerMessage, { type: 'log', level: 'warn', event: long, fields });
    const cut = expect.stringMatching(/^a \[2Jx{900,}$/);
    expect(line).toMatchObject({ event: cut, fields: { detail: cut, count: 3, isRetry: true } });
    expect(v.is(workerMessage, { type: 'log', level: 'debug', event: 'page loaded' })).toBe(true);
  });

  it('sentences for people are cut and kept on one line', () => {
    const event = v.parse(workerEvent, { name: 'connection_lost', pageState: `a\r\n\u001b[2J${'x'.repeat(9_999)}` });
    expect(event).toMatchObject({ pageState: expect.stringMatching(/^a \[2Jx{900,}$/) });
  });
});
