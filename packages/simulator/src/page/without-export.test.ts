import { expect, it } from 'vitest';
import { withoutExport } from './without-export.ts';

const shared = { find: () => 1, keep: () => 2 };
class Key {
  readonly id = 1;
  static from() {
    return new Key();
  }
}
const modules = () =>
  new Map<string, unknown>([
    ['Tools', shared],
    ['Key', Key],
    ['Cmd', { Cmd: { go: 1, stop: 2 } }],
  ]);

it('removes a whole module', () => {
  const map = modules();
  withoutExport(map, 'Tools');
  withoutExport(map, 'Nothing.at.all');
  expect([...map.keys()]).toEqual(['Key', 'Cmd']);
});

it('removes an export from a copy, so that other users of the module still have it', () => {
  const map = modules();
  withoutExport(map, 'Tools.find');
  withoutExport(map, 'Key.from');
  expect(map.get('Tools')).toEqual({ keep: shared.keep });
  expect(shared).toHaveProperty('find');
  const Lacking = map.get('Key') as typeof Key;
  expect([Lacking.from, Key.from, new Lacking() instanceof Key]).toEqual([undefined, expect.any(Function), true]);
});

it('removes a member of an export', () => {
  const map = modules();
  withoutExport(map, 'Cmd.Cmd.go');
  expect(map.get('Cmd')).toEqual({ Cmd: { stop: 2 } });
});
