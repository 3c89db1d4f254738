import { message } from '@chat-web/protocol';
import { sentMessage } from '@chat-web/testing';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { messageModel } from '../testing/fake-page.ts';
import { readableMessage, toMessage, toSessionInfo } from './resources.ts';

const [ADA, BEN] = ['12025550101@c.us', '12025550102@c.us'];
const model = messageModel({ id: `false_${BEN}_3EB0AA`, fromMe: false, from: BEN, to: ADA, ack: 1 });

describe('toMessage', () => {
  it('converts a text to a message of the API', () => {
    expect(toMessage(model)).toEqual(sentMessage({ id: `false_${BEN}_3EB0AA`, fromMe: false, from: BEN, to: ADA }));
  });

  it('uses the caption as the body of media', () => {
    const media = {
      ...model,
      type: 'image',
      body: undefined,
      caption: 'look',
      hasMedia: true,
      mimetype: 'image/jpeg',
    };
    expect(toMessage(media)).toMatchObject({ body: 'look', type: 'image', hasMedia: true, mimeType: 'image/jpeg' });
  });

  it.each([
    ['vcard', 'contact'],
    ['multi_vcard', 'contact'],
    ['poll_creation', 'poll'],
    ['location', 'location'],
    ['ptt', 'audio'],
    ['ptv', 'video'],
  ])('maps the type %s to %s', (type, name) => expect(toMessage({ ...model, type }).type).toBe(name));

  it.each([
    ['ciphertext', { body: undefined, unavailable: 'view_once' }, 'view_once'],
    ['ciphertext', { body: undefined, unavailable: 'not_decrypted' }, 'not_decrypted'],
    ['oversized', { body: undefined }, 'not_decrypted'],
    ['hsm', { body: undefined }, 'not_decrypted'],
    ['a new type', { body: undefined }, 'not_decrypted'],
    ['a new type', { body: 'readable' }, undefined],
    ['chat', { body: '', referral: { id: '1' } }, undefined],
    ['image', { body: undefined, hasMedia: true }, undefined],
    ['hsm', { body: undefined, fromMe: true }, undefined],
    ['a new type', { body: undefined, fromMe: true }, 'not_decrypted'],
  ])('tells that this device cannot show %s, %j: %s', (type, more, unavailable) => {
    const { body: _, ...read } = model;
    expect(toMessage({ ...read, type, ...more }).unavailable).toBe(unavailable);
  });

  it('has the album of a photo, unless it is no id', () => {
    expect(toMessage({ ...model, albumId: 'false_a_1' }).albumId).toBe('false_a_1');
    for (const odd of ['', '\n', 7, 'x'.repeat(1_000)])
      expect(toMessage({ ...model, albumId: odd })).not.toHaveProperty('albumId');
  });

  it('has what is known of a referral: only links, and no empty texts', () => {
    const referralOf = (referral: unknown) => toMessage({ ...model, referral }).referral;
    expect(referralOf({ url: 'https://fb.me/x', id: '1', type: '', title: null, clickId: 7 })).toEqual({
      url: 'https://fb.me/x',
      id: '1',
    });
    for (const none of [undefined, null, 'x', {}, { url: 'javascript:alert(1)', id: '' }])
      expect(toMessage({ ...model, referral: none })).not.toHaveProperty('referral');
  });

  it('cuts the names, the numbers and the count of contact cards', () => {
    const cards = Array(400).fill({ name: 'x'.repeat(2_000), numbers: ['a', ...Array(50).fill('+1')] });
    const read = toMessage({ ...model, type: 'vcard', contacts: cards });
    expect([v.is(message, read), read.contacts?.length, read.contacts?.[0]?.numbers.length]).toEqual([true, 300, 20]);
  });

  it('rejects an id that the gateway would refuse, which lists leave out', () => {
    for (const key of ['A'.repeat(300), 'a\nb', 'a\ud800']) {
      const odd = { ...model, id: `false_${BEN}_${key}` };
      expect(() => toMessage(odd)).toThrow();
      expect(readableMessage(odd)).toBeUndefined();
    }
  });

  it('has the location and the poll of a message, unless they are invalid', () => {
    const location = { latitude: 1.5, longitude: -2 };
    const poll = { options: ['yes', 'no'], multiple: false };
    expect(toMessage({ ...model, location, poll })).toMatchObject({ location, poll });
    const long = toMessage({ ...model, poll: { options: Array(200).fill('x'.repeat(2_000)), multiple: true } });
    expect(v.is(message, long)).toBe(true);
    for (const odd of [{}, { latitude: 91, longitude: 0 }, { latitude: '1', longitude: 2 }, null, 7]) {
      const read = toMessage({ ...model, location: odd, poll: odd });
      expect({ read: v.is(message, read), location: read.location, poll: read.poll }).toEqual({ read: true });
    }
  });

  it('returns messages that are valid in the gateway, whatever the sender wrote', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400 });
    const long = fc.constantFrom(
      'toString',
      '__proto__',
      'x'.repeat(300_000),
      '😀'.repeat(200_000),
      '\r\n',
      '\u0000',
      '',
    );
    const anything = fc.oneof(text, long);
    fc.assert(
      fc.property(
        fc.record({
          body: anything,
          caption: anything,
          mimetype: anything,
          filename: anything,
          type: anything,
          quotedMessageId: anything,
          author: anything,
          senderName: anything,
          albumId: anything,
          referral: fc.record({ url: fc.webUrl(), id: anything, type: anything, title: anything, clickId: anything }),
          selected: fc.record({ id: anything, text: anything }),
          contacts: fc.array(fc.record({ name: anything, numbers: fc.array(anything) })),
          quoted: fc.record({ author: anything, type: anything, body: anything }),
        }),
        fc.array(text),
        fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(-1, 1.5, 1e300, Number.POSITIVE_INFINITY)),
        fc.boolean(),
        (chosen, mentionedIds, t, hasMedia) => {
          expect(v.is(message, toMessage({ ...model, ...chosen, mentionedIds, t, hasMedia }))).toBe(true);
        },
      ),
    );
  });

  it.each([undefined, null, 'text', {}, { ...model, t: 'soon' }, { ...model, id: undefined }])(
    'rejects an invalid message: %j',
    (nonsense) => {
      expect(() => toMessage(nonsense)).toThrow();
    },
  );
});

describe('toSessionInfo', () => {
  it('drops the device from an account id', () => {
    expect(toSessionInfo({ pushname: 'Ann', wid: '12025550101:7@c.us', platform: 'android' })).toEqual({
      pushname: 'Ann',
      wid: '12025550101@c.us',
      phone: '12025550101',
      platform: 'android',
    });
  });

  it('rejects an invalid id', () => {
    expect(() => toSessionInfo({ wid: 'nobody' })).toThrow();
  });
});
