import { beforeEach, expect, it, vi } from 'vitest';
import { Collection } from './collection.ts';
import { Model } from './model.ts';
import { Registry, type RegistryOptions, removeExport } from './registry.ts';

const modules = { Now: { a: 1 }, Lazy: { b: 2 }, Late: { c: 3 } };
const plain: RegistryOptions = { missing: [], components: {}, unresolved: {}, late: [], unknown: 'thrown' };
const registry = (options: Partial<RegistryOptions> = {}) => new Registry([modules], { ...plain, ...options });

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

it('returns a module, and throws for an unknown one', () => {
  expect(registry().require('Now')).toBe(modules.Now);
  expect(() => registry().require('Nothing')).toThrow(
    expect.objectContaining({ message: 'Requiring unknown module "%s"', messageParams: ['Nothing'] }),
  );
});

it('only logs an error on the console for scripts that are not guarded', () => {
  const unguarded = registry({ unknown: 'undefined' });
  expect(unguarded.require('Nothing')).toBeUndefined();
  expect(console.error).toHaveBeenCalledWith(expect.stringContaining('"Nothing"'));
  unguarded.throwErrors(true);
  expect(() => unguarded.require('Nothing')).toThrow();
});

it('has a lazy module once a component of it is loaded, and a late one once it is registered', () => {
  const part = registry({ components: { 'Drawer.react': ['Lazy'] }, late: ['Late'] });
  expect([...part.registered.keys()]).toEqual(['Now']);
  expect(() => part.loadComponent('Lazy')).toThrow('unknown component Lazy');
  part.loadComponent('Drawer.react');
  expect(part.require('Lazy')).toBe(modules.Lazy);
  part.registerLate();
  expect(part.require('Late')).toBe(modules.Late);
});

it('refuses a lazy module until the component with its dependencies is loaded, too', () => {
  const components = { 'Half.react': ['Lazy'], 'Whole.react': ['Lazy'] };
  const part = registry({ components, unresolved: { Lazy: 'Whole.react' } });
  part.loadComponent('Half.react');
  expect(() => part.require('Lazy')).toThrow('unresolved dependencies');
  part.loadComponent('Whole.react');
  expect(part.require('Lazy')).toBe(modules.Lazy);
});

it('never has a missing module or export', () => {
  const part = registry({ missing: ['Lazy', 'Now.a', 'Bootloader'], components: { 'Drawer.react': ['Lazy'] } });
  part.loadComponent('Drawer.react');
  part.define('Bootloader', {});
  expect([...part.registered.entries()]).toEqual(
    [
      ['Late', modules.Late],
      ['Now', {}],
    ].reverse(),
  );
});

it('breaks every module, also for a script that holds one, and keeps the data of its models', () => {
  class Named extends Model<{ id: string }> {
    static override readonly props = ['id'];

    greet() {
      return 'hello';
    }
  }
  const names = new Collection<Named>(Named as never);
  const named = names.add(new Named({ id: 'a' }));
  const held = { run: () => 1, names, named };
  const all = new Registry([{ Held: held, Names: names, Make: class {} }], plain);
  all.breakAll();
  const Make = all.require('Make') as new () => object;
  for (const call of [() => held.run(), () => names.get('a'), () => named.greet(), () => new Make()])
    expect(call).toThrow('the module is broken');
  expect(all.require('Held')).toBe(held);
  expect([named.get('id'), names.length]).toEqual(['a', 1]);
});

const shared = { find: () => 1, keep: () => 2 };
class Key {
  readonly id = 1;
  static from() {
    return new Key();
  }
}
const exported = () =>
  new Map<string, unknown>([
    ['Tools', shared],
    ['Key', Key],
    ['Cmd', { Cmd: { go: 1, stop: 2 } }],
  ]);

it('removes a whole module', () => {
  const map = exported();
  removeExport(map, 'Tools');
  removeExport(map, 'Nothing.at.all');
  expect([...map.keys()]).toEqual(['Key', 'Cmd']);
});

it('removes an export from a copy, so that other users of the module still have it', () => {
  const map = exported();
  removeExport(map, 'Tools.find');
  removeExport(map, 'Key.from');
  expect(map.get('Tools')).toEqual({ keep: shared.keep });
  expect(shared).toHaveProperty('find');
  const Lacking = map.get('Key') as typeof Key;
  expect([Lacking.from, Key.from, new Lacking() instanceof Key]).toEqual([undefined, expect.any(Function), true]);
});

it('removes a member of an export', () => {
  const map = exported();
  removeExport(map, 'Cmd.Cmd.go');
  expect(map.get('Cmd')).toEqual({ Cmd: { stop: 2 } });
});
