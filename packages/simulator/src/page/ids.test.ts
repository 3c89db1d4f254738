import { afterEach, describe, expect, it } from 'vitest';
import { MsgKey } from './msg-key.ts';
import { switches } from './switches.ts';
import { createWid } from './wid.ts';

const ada = createWid('12025550101@c.us');
const ben = createWid('12025550102@c.us');

afterEach(() => {
  Object.assign(switches, { idProperty: '_serialized', widProperty: '_serialized' });
});

describe('a Wid', () => {
  it('has the parts of its text', () => {
    expect({ ...createWid('81604523377101@lid') }).toEqual({
      server: 'lid',
      user: '81604523377101',
      _serialized: '81604523377101@lid',
    });
    expect(createWid('81604523377101@lid').isLid()).toBe(true);
    expect(createWid('120363000000000000@g.us').isGroup()).toBe(true);
    expect(createWid('status@broadcast').isStatus()).toBe(true);
  });

  it('carries its serialised form under the name of the build', () => {
    switches.widProperty = '$1';
    expect(JSON.parse(JSON.stringify(createWid(ada.toJid())))).toEqual({
      server: 'c.us',
      user: '12025550101',
      $1: '12025550101@c.us',
    });
  });

  it('can be restored from its JSON', () => {
    expect(createWid(JSON.parse(JSON.stringify(ada))).equals(ada)).toBe(true);
  });

  it('may identify a device', () => {
    expect({ ...createWid('12025550101:3@c.us') }).toMatchObject({ device: 3, _serialized: '12025550101:3@c.us' });
    expect(createWid('12025550101:3@c.us').equals(ada)).toBe(false);
  });

  it.each(['+12025550101@c.us', '12025550101', '@c.us', 'ada@c.us', ''])('refuses %j', (text) => {
    expect(() => createWid(text)).toThrow('invalid wid');
  });
});

describe('a message key', () => {
  it('contains the chat, not the author', () => {
    expect(String(new MsgKey({ from: ada, to: ben, id: 'X', selfDir: 'out' }))).toBe('true_12025550102@c.us_X');
    expect(String(new MsgKey({ from: ben, to: ada, id: 'X', selfDir: 'in' }))).toBe('false_12025550102@c.us_X');
  });

  it('ends with the author in a group', () => {
    const group = createWid('120363000000000000@g.us');
    const key = new MsgKey({ from: ada, to: group, id: 'X', participant: ada, selfDir: 'out' });
    expect(String(key)).toBe('true_120363000000000000@g.us_X_12025550101@c.us');
    expect(String(MsgKey.fromString(String(key)))).toBe(String(key));
  });

  it('carries its serialised form under the name of the build', () => {
    switches.idProperty = '$1';
    const key = new MsgKey({ from: ada, to: ben, id: 'X', selfDir: 'out' });
    expect(key).toHaveProperty('$1', 'true_12025550102@c.us_X');
    expect(key).not.toHaveProperty('_serialized');
  });

  it('gets a new id in the format of a web client', async () => {
    expect(await MsgKey.newId()).toMatch(/^3EB0[0-9A-F]{18}$/);
  });
});
