import { beforeEach, expect, it, vi } from 'vitest';
import { freshProgram, stubPage } from '../../testing/page-registry.ts';
import type { PageChat } from '../models.ts';

const id = (text: string) => ({ toString: () => text });
const chat = (name: string, lid?: string) => ({ id: id(name), accountLid: lid && id(lid) }) as unknown as PageChat;
let models: { readonly id: object; readonly hasData?: boolean; readonly chatstate?: object }[];
let tools: typeof import('./presences.ts');
let asked: string[];

freshProgram();
beforeEach(async () => {
  models = [];
  const gadd = (one: object) => {
    const row = models.find((model) => String(model.id) === String(one)) ?? { id: one };
    models = [...new Set([...models, row])];
    return row;
  };
  const PresenceCollection = { getModelsArray: () => models, gadd };
  asked = [];
  const subscribeUserPresence = async (whom: object) => {
    asked.push(String(whom));
    if (String(whom) === '1@lid') throw new Error('offline');
    if (String(whom) === '2@lid') return new Promise(() => {});
    return undefined;
  };
  const modules = {
    WAWebPresenceCollection: { PresenceCollection },
    WAWebContactPresenceBridge: { subscribeUserPresence },
  };
  stubPage(modules, { people: [{ number: '8@c.us', lid: '8@lid' }] });
  tools = await import('./presences.ts');
});

it('only reports watched chats, by either id of the person', () => {
  const chatstate = { id: id('7@lid'), type: 'recording_audio' };
  models = [{ id: id('7@lid'), chatstate, hasData: true }];
  expect(tools.activityChange(chatstate as never)).toBeUndefined();
  tools.watchPresence(chat('49@c.us', '7@lid'));
  const data = { chatId: '49@c.us', from: '49@c.us', state: 'recording', lastSeen: undefined };
  expect(tools.activityChange(chatstate as never)?.read()).toEqual({ name: 'presence', data });
});

it('reads no models while no chat is watched', () => {
  const presences = vi.spyOn(models, 'find');
  expect(tools.activityChange({ id: id('7@lid') } as never)).toBeUndefined();
  expect(presences).not.toHaveBeenCalled();
});

it('reports by ids that the page has learnt meanwhile, and by the number of a chat with a hidden id', () => {
  const changeOf = (owner: string) => {
    const chatstate = { id: id(owner), type: 'typing' };
    models = [{ id: id(owner), chatstate, hasData: true }];
    return tools.activityChange(chatstate as never);
  };
  tools.watchPresence(chat('49@c.us'));
  expect(changeOf('7@lid')).toBeUndefined();
  tools.watchPresence(chat('49@c.us', '7@lid'));
  expect(changeOf('7@lid')).toBeDefined();
  tools.watchPresence(chat('8@lid'));
  expect(changeOf('8@c.us')).toBeDefined();
});

it('includes the time last seen only for people who are away', () => {
  expect(tools.activity({ type: 'unavailable', t: 5 })).toEqual({ state: 'unavailable', lastSeen: 5_000 });
  expect(tools.activity({ type: 'available', t: 5 })).toEqual({ state: 'available', lastSeen: undefined });
});

it('watches 200 chats at most, each once', () => {
  for (let number = 0; number < 200; number += 1)
    expect(tools.watchPresence(chat(`${number}@c.us`, `${number}@lid`))).toBe(true);
  expect(tools.watchPresence(chat('200@c.us'))).toBe(false);
  expect(tools.watchPresence(chat('7@c.us'))).toBe(true);
});

it('subscribes again to chats that the page has forgotten, or to all, one by one', async () => {
  vi.useFakeTimers();
  for (const number of [1, 2, 3]) tools.watchPresence(chat(`4${number}@c.us`, `${number}@lid`));
  models = [
    { id: id('2@lid'), hasData: true },
    { id: id('3@lid'), hasData: false },
  ];
  void tools.watchAgain('forgotten');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toEqual(['1@lid', '3@lid']);
  // A call during this adds to it, and stops nothing.
  void tools.watchAgain('all');
  await vi.advanceTimersByTimeAsync(600);
  expect(asked.slice(2)).toEqual(['1@lid']);
  void tools.watchAgain('forgotten');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked.slice(3)).toEqual(['2@lid', '3@lid', '1@lid']);
});

it('does not report a state that the page has forgotten, but the next one if it is new', () => {
  const chatstate = { id: id('7@lid'), type: 'available', t: 0 };
  const owner = { id: id('7@lid'), chatstate, hasData: true };
  models = [owner];
  tools.watchPresence(chat('49@c.us', '7@lid'));
  const state = (what: object) => tools.activityChange(what as never)?.read().data.state;
  expect(state(chatstate)).toBe('available');
  Object.assign(chatstate, { type: 'unavailable' });
  owner.hasData = false;
  expect([state(chatstate), state(owner)]).toEqual([undefined, undefined]);
  // The page shows this state already: there is no other event for it.
  owner.hasData = true;
  expect(state(owner)).toBe('unavailable');
  expect(state(owner)).toBeUndefined();
});

it('reports the time last seen whenever it changes', () => {
  const chatstate = { id: id('7@lid'), type: 'unavailable', t: 5 };
  models = [{ id: id('7@lid'), chatstate, hasData: true }];
  tools.watchPresence(chat('49@c.us', '7@lid'));
  const lastSeen = () => tools.activityChange(chatstate as never)?.read().data.lastSeen;
  expect([lastSeen(), lastSeen()]).toEqual([5_000, undefined]);
  chatstate.t = 9;
  expect(lastSeen()).toBe(9_000);
});

it.each([
  ['49@c.us', '7@lid', { from: '49@c.us', state: 'available' }],
  ['1@g.us', undefined, { from: undefined, state: 'unavailable' }],
])('ends typing in %s once if the page forgets it', (chatId, lid, end) => {
  const chatstate = { id: id('49@c.us'), type: 'typing' };
  const owner = { id: id(lid ?? chatId), chatstate, hasData: true };
  models = [owner];
  tools.watchPresence(chat(chatId, lid));
  const data = () => tools.activityChange(owner as never)?.read().data;
  expect(data()).toEqual({ chatId, from: '49@c.us', state: 'typing', lastSeen: undefined });
  owner.hasData = false;
  expect(data()).toEqual({ chatId, ...end, lastSeen: undefined });
  expect(data()).toBeUndefined();
});

it('receives presence by an id that the page has learnt meanwhile, after subscribing again', async () => {
  vi.useFakeTimers();
  const known = { ...chat('50@c.us'), accountLid: undefined as object | undefined };
  tools.watchPresence(known as never);
  known.accountLid = id('9@lid');
  void tools.watchAgain('forgotten');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toEqual(['9@lid']);
  const chatstate = { id: id('9@lid'), type: 'available' };
  const row = models.find((model) => String(model.id) === '9@lid');
  Object.assign(row ?? {}, { chatstate, hasData: true });
  expect(tools.activityChange(chatstate as never)?.read().data.state).toBe('available');
});
