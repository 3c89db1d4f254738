import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { afterEach, expect, it, vi } from 'vitest';
import { AddressGuard } from './address-guard.ts';

const URL_OF_IT = new URL('http://shop.example/');
const asker = { owner: 'key_1' };
const guard = new AddressGuard([], async () => [{ address: '1.1.1.1', family: 4 }]);

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

it('a host is refused, and nothing is thrown elsewhere, while the addresses of this machine cannot be read', async () => {
  await guard.resolve(URL_OF_IT, asker);
  // Not a mock of the module: other files in this process have loaded what imports it.
  vi.spyOn(os, 'networkInterfaces').mockImplementation(() => {
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  });
  syncBuiltinESMExports();
  await expect(guard.resolve(URL_OF_IT, asker)).rejects.toMatchObject({ code: 'EMFILE' });
});
