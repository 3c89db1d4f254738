import { expect, it } from 'vitest';
import { stubPage } from '../testing/page-registry.ts';
import { Wid } from '../testing/wid.ts';
import { listChats } from './chats.ts';

const id = (text: string) => new Wid(text);

it('an unreadable chat does not fail the others', () => {
  const unreadable = {
    id: id('2@c.us'),
    get mute(): never {
      throw new Error('unreadable');
    },
  };
  const rows = [{ id: id('1@c.us'), t: 1 }, unreadable, { id: id('status@broadcast') }, { id: id('3@c.us'), t: 3 }];
  stubPage({ WAWebCollections: { Chat: { getModelsArray: () => rows } } });
  expect(listChats()).toMatchObject([{ id: '1@c.us' }, { id: '3@c.us' }]);
});
