import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PhoneMessage } from '../api.ts';
import { defaultSettings } from '../settings.ts';
import { seededAccounts } from './directory.ts';
import { Network } from './network.ts';
import { Phone } from './phone.ts';

const minuteMs = 60_000;
const [adaNumber, benNumber, carlaNumber] = ['12025550101', '12025550102', '12025550103'] as const;
let network: Network;
let ada: Phone;
let ben: Phone;
let sent: PhoneMessage;

beforeEach(async () => {
  vi.useFakeTimers();
  network = new Network({ ...defaultSettings }, seededAccounts);
  [ada, ben] = [new Phone(network, adaNumber), new Phone(network, benNumber)];
  sent = await ada.send({ to: benNumber, body: 'hello' });
  vi.advanceTimersByTime(network.settings.deliveryDelayMs);
});

afterEach(() => network.close());

const onBens = () => ben.messages(adaNumber)[0];
const status = (code: number) => expect.objectContaining({ status: code });

describe('a reaction', () => {
  it('replaces the previous one, and an empty one removes it', () => {
    network.changes.react(ben.account, sent.id, '👍');
    network.changes.react(ben.account, sent.id, '🎉');
    expect(onBens()?.reactions).toEqual([{ from: `${benNumber}@c.us`, emoji: '🎉' }]);
    network.changes.react(ben.account, sent.id, '');
    expect(onBens()?.reactions).toEqual([]);
  });

  it('needs an existing message', () => {
    expect(() => network.changes.react(ben.account, 'NONE', '👍')).toThrow(status(404));
    network.changes.revoke(ada.account, sent.id);
    expect(() => network.changes.react(ben.account, sent.id, '👍')).toThrow(status(404));
  });
});

describe('an edit', () => {
  it('is visible to all participants', () => {
    expect(ada.edit(sent.id, 'hello there')).toMatchObject({ body: 'hello there', edited: true });
    expect(onBens()).toMatchObject({ body: 'hello there', edited: true });
  });

  it('is allowed for the author only, within 15 minutes', () => {
    expect(() => ben.edit(sent.id, 'x')).toThrow(status(403));
    network.changes.age(sent.id, 15 * minuteMs);
    expect(() => ada.edit(sent.id, 'x')).toThrow(status(409));
  });
});

describe('a revocation', () => {
  it('removes the text', () => {
    network.changes.revoke(ada.account, sent.id);
    expect(onBens()).toMatchObject({ id: sent.id, type: 'revoked', body: '' });
  });

  it('is allowed for the author, within two and a half days', () => {
    expect(() => network.changes.revoke(ben.account, sent.id)).toThrow(status(403));
    network.changes.age(sent.id, 60 * 60 * minuteMs);
    expect(() => network.changes.revoke(ada.account, sent.id)).toThrow(status(409));
  });

  it('is also allowed for admins in a group', async () => {
    const group = network.groups.create(network.directory.get(adaNumber), { subject: 'Trip', addressing: 'pn' });
    network.groups.announce(group, [network.directory.get(benNumber), network.directory.get(carlaNumber)]);
    const { id } = await ben.send({ to: group.id, body: 'hello' });
    vi.advanceTimersByTime(network.settings.deliveryDelayMs);
    expect(() => network.changes.revoke(network.directory.get(carlaNumber), id)).toThrow(status(403));
    network.changes.revoke(ada.account, id);
    expect(ben.messages(group.id)).toMatchObject([{ id, type: 'revoked' }]);
  });
});

it('deletes a message for one account only, and keeps it for the others', () => {
  network.changes.hide(network.directory.get(benNumber), [sent.id]);
  expect([onBens(), ada.messages(benNumber).length]).toEqual([undefined, 1]);
});
