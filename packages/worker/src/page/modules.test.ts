import { describe, expect, it, vi } from 'vitest';
import { resolveContract } from './modules.ts';

async function missing(modules: Record<string, unknown>, parts: Record<string, Record<string, string>>) {
  vi.stubGlobal('window', { Debug: { VERSION: '2.3000.1' }, require: (name: string) => modules[name] });
  return (await resolveContract(parts, {}, 10)).missing;
}

describe('a part of the contract', () => {
  it('is checked by its module, its path and its kind', async () => {
    const modules = { A: { go: () => {}, Model: { state: 'here' } } };
    expect(await missing(modules, { A: { go: 'function', 'Model.state': 'string' } })).toEqual([]);
    expect(await missing(modules, { A: { 'Model.state': 'function', stop: 'function' }, B: {} })).toEqual([
      'A.Model.state',
      'A.stop',
      'B',
    ]);
  });

  it('that is a field must be present in one of the newest models, if there are any', async () => {
    const lacking = (models: object[]) =>
      missing({ A: { Msg: { getModelsArray: () => models } } }, { A: { 'Msg[].id': 'field', 'Msg[].t': 'field' } });
    expect(await lacking([])).toEqual([]);
    expect(await lacking([{ id: 1 }, { id: 2, t: 3 }])).toEqual([]);
    expect(await lacking([{ key: 1, t: 2 }])).toEqual(['A.Msg[].id']);
    expect(await lacking([{ id: 1, t: 2 }, ...Array.from({ length: 50 }, () => ({ id: 1 }))])).toEqual(['A.Msg[].t']);
  });
});

describe('a module that is not loaded', () => {
  /** Loads `Lazy` by the component `Right`. The page has no component `Gone`, and waits for it for ever. */
  function page(componentMap: unknown, unresolved = false) {
    const modules: Record<string, object> = {};
    const loadModules = vi.fn(([name]: string[], loaded: () => void) => {
      if (name === 'Right') modules.Lazy = {};
      if (name === 'Right' || name === 'Half') setTimeout(loaded);
    });
    modules.Bootloader = { loadModules, __debug: { componentMap } };
    const require = (name: string) => {
      if (name === 'Lazy' && unresolved && loadModules.mock.calls.length < 2) throw new Error('unresolved');
      return modules[name];
    };
    vi.stubGlobal('window', { require });
    return loadModules;
  }
  const lacks = async (components: string[], timeoutMs = 100) =>
    (await resolveContract({ Lazy: {} }, { Lazy: components }, timeoutMs)).missing;

  it.each([[new Map([['Right', {}]])], [{ Right: {} }]])(
    'is loaded by a component that the page has (%j)',
    async (map) => {
      const loadModules = page(map);
      expect(await lacks(['Gone', 'Right'])).toEqual([]);
      expect(loadModules).toHaveBeenCalledTimes(1);
    },
  );

  it('is loaded although the page waits for an unknown component, each of which has a share of the time', async () => {
    page(undefined);
    expect(await lacks(['Gone', 'Right'])).toEqual([]);
    expect(await lacks(['Gone'], 10)).toEqual([]);
    page(undefined);
    expect(await lacks(['Gone'], 10)).toEqual(['Lazy']);
  });

  it('may need another component for its dependencies', async () => {
    page(undefined, true);
    expect(await lacks(['Right', 'Half'])).toEqual([]);
  });
});
