import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Store, type Stored } from '../examples/inbox/store.ts';

const CHAT = '12025550102@c.us';
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chat-web-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

const message = (id: string, more: Partial<Stored> = {}): Stored => ({
  ...{ id, chat: CHAT, fromMe: false, body: id, type: 'chat', timestamp: 1_795_399_200, ack: 1, hasMedia: false },
  ...more,
});
const ids = (store: Store) => store.conversation(CHAT).map(({ id }) => id);

describe('the store of the inbox', () => {
  it('has after any crash all messages up to its position', async () => {
    const path = join(folder, 'whole');
    const whole = await Store.open(path);
    for (const id of ['a', 'b', 'c', 'd']) {
      await whole.add(message(id));
      await whole.position.save(`position-${id}`);
    }
    await whole.close();
    const text = await readFile(path, 'utf8');
    for (let length = 0; length <= text.length; length += 1) {
      const cut = join(folder, 'cut');
      await writeFile(cut, text.slice(0, length));
      const store = await Store.open(cut);
      const position = (await store.position.load())?.at(-1) ?? '';
      const stoodFor = [...'abcd'].slice(0, 'abcd'.indexOf(position) + (position === '' ? 0 : 1));
      expect(ids(store).slice(0, stoodFor.length)).toEqual(stoodFor);
      await store.add(message('later'));
      await store.close();
      const again = await Store.open(cut);
      expect(ids(again)).toEqual(ids(store)); // The incomplete line does not corrupt the next one.
      await again.close();
    }
  });

  it('stores a message once, with an ack that arrived before it', async () => {
    const path = join(folder, 'acks');
    const store = await Store.open(path);
    await store.acknowledge('mine', 2);
    for (const _ of [1, 2]) await store.add(message('mine', { fromMe: true }));
    await store.acknowledge('mine', 1);
    await store.close();
    await appendFile(path, '{"message":{"id":"half');
    const again = await Store.open(path);
    for (const one of [store, again]) expect(one.conversation(CHAT)).toMatchObject([{ id: 'mine', ack: 2 }]);
    await again.close();
  });

  it('keeps the newest messages of a chat in memory', async () => {
    const path = join(folder, 'many');
    const lines = Array.from({ length: 600 }, (_, index) => JSON.stringify({ message: message(`${index}`) }));
    await writeFile(path, `${lines.join('\n')}\n`);
    const store = await Store.open(path);
    expect(ids(store)).toHaveLength(500);
    expect(store.conversation(CHAT).at(-1)?.id).toBe('599');
    expect(store.message('0')).toBeUndefined();
    expect(store.chats).toMatchObject([{ id: '599', chat: CHAT }]);
    await store.close();
  });
});
