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
