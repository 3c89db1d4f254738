import { afterEach, describe, expect, it } from 'vitest';
import { createMsg, draftOf, msgKeyOf, otherOwnKey, ownStatus, ownStatusKey } from './message-conversion.ts';
import { switches } from './switches.ts';
import type { WireMedia, WireMessage, WireSelf } from './wire.ts';

const [ada, ben, group] = ['12025550101@c.us', '12025550102@c.us', '120363000000000000@g.us'];
const media: WireMedia = {
  directPath: '/v/a',
  mimetype: 'application/pdf',
  filename: 'a.pdf',
  size: 3,
  mediaKeyTimestamp: 1,
  filehash: 'h',
  encFilehash: 'e',
  mediaKey: 'k',
};
const base = { id: 'X', chat: ben, from: ben, to: ada, fromMe: false, t: 1, ack: 1, reactions: [] };
const text: WireMessage = { ...base, type: 'chat', body: 'hello' };

describe('a message of the network', () => {
  it('has its author in its id, in a group', () => {
    expect(String(msgKeyOf({ ...text, chat: group, author: ben }))).toBe(`false_${group}_X_${ben}`);
    expect(String(msgKeyOf(text))).toBe(`false_${ben}_X`);
  });

  it('has its text in the body, or under its file', () => {
    expect(createMsg(text, true).serialize()).toMatchObject({ body: 'hello', type: 'chat', isNewMsg: true });
    const picture = createMsg({ ...text, type: 'image', media }, false).serialize();
    expect(picture).toMatchObject({ caption: 'hello', isCaptionByUser: true, directPath: '/v/a' });
    expect(picture).not.toHaveProperty('body');
  });

  it('shows the name of a document that has no caption', () => {
    const document = createMsg({ ...text, type: 'document', body: '', media }, false);
    expect(document.serialize()).toMatchObject({ caption: 'a.pdf', isCaptionByUser: false });
    expect(document.mediaData?.get('mediaStage')).toBe('NEED_POKE');
  });

  it('shows nothing before it is decrypted', () => {
    const late = createMsg({ ...text, decryptLateMs: 5 }, true).serialize();
    expect(late).toMatchObject({ type: 'ciphertext' });
    expect(late).not.toHaveProperty('body');
  });

  it('stays undecrypted in history, too, for the reason of the network', () => {
    const sealed = createMsg({ ...text, undecrypted: { subtype: 'fanout' } }, false).serialize();
    expect(sealed).toMatchObject({ type: 'ciphertext', subtype: 'fanout' });
    expect(sealed).not.toHaveProperty('body');
  });

  it('quotes the text of a file in its caption', () => {
    const quoted = { id: 'Q', author: ada, type: 'image', body: 'look' };
    const { quotedMsg } = createMsg({ ...text, quoted }, false).serialize();
    expect(quotedMsg).toMatchObject({ type: 'image', caption: 'look' });
  });

  it('has its former id after it was deleted for everyone', () => {
    const revoked = createMsg({ ...text, id: 'Y', type: 'revoked', body: '', revokedId: 'X' }, false).serialize();
    expect(String(revoked.protocolMessageKey)).toBe(`false_${ben}_X`);
  });
});

describe('a draft', () => {
  it('contains the fields that the network needs', () => {
    const msg = createMsg(
      { ...text, mentions: [ada], quoted: { id: 'Q', author: ada, type: 'chat', body: 'question' } },
      false,
    );
    expect(draftOf(ben, msg)).toEqual({
      id: 'X',
      chat: ben,
      t: 1,
      type: 'chat',
      body: 'hello',
      mentions: [ada],
      quoted: { id: 'Q', author: ada, type: 'chat', body: 'question' },
    });
  });

  it('does not send the name of a document as a caption', () => {
    const msg = createMsg({ ...text, type: 'document', body: '', media }, false);
    expect(draftOf(ben, msg)).toMatchObject({ body: '', media: { filename: 'a.pdf', directPath: '/v/a' } });
  });

  it('forwards the fields of a place', () => {
    const msg = createMsg({ ...text, type: 'location', body: '', fields: { lat: 1, lng: 2, loc: 'Here' } }, false);
    expect(draftOf(ben, msg)).toMatchObject({ type: 'location', fields: { lat: 1, lng: 2, loc: 'Here' } });
  });
});

const self = { pn: '1@c.us', lid: '8@lid' } as WireSelf;
const post = { chat: 'status@broadcast', fromMe: true, author: '1@c.us', from: '1@c.us' } as WireMessage;

afterEach(() => {
  switches.statusActions = 'positional';
});

it('keeps a post under the number in older builds', () => {
  expect(ownStatus(post, self)).toBe(post);
  expect(ownStatusKey('true_status@broadcast_X_1@c.us', self)).toBe('true_status@broadcast_X_1@c.us');
});

it('has a post under the hidden number in newer ones, and nothing else', () => {
  switches.statusActions = 'object';
  expect(ownStatus(post, self)).toMatchObject({ from: '8@lid', author: '8@lid' });
  expect(ownStatusKey('true_status@broadcast_X_1@c.us', self)).toBe('true_status@broadcast_X_8@lid');
  const other = { ...post, fromMe: false };
  expect(ownStatus(other, self)).toBe(other);
  expect(ownStatusKey('true_2@c.us_X', self)).toBe('true_2@c.us_X');
});

it('finds an own message in a group under the other id', () => {
  expect(otherOwnKey('true_9@g.us_X_1@c.us', self)).toBe('true_9@g.us_X_8@lid');
  expect(otherOwnKey('true_9@g.us_X_8@lid', self)).toBe('true_9@g.us_X_1@c.us');
  for (const key of ['false_9@g.us_X_2@c.us', 'true_2@c.us_X']) expect(otherOwnKey(key, self)).toBe(key);
});
