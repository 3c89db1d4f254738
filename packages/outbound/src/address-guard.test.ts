import { networkInterfaces } from 'node:os';
import { expect, it, vi } from 'vitest';
import { AddressGuard } from './address-guard.ts';

vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  networkInterfaces: vi.fn(() => ({})),
}));

const URL_OF_IT = new URL('http://shop.example/');
const asker = { owner: 'key_1' };
const guard = new AddressGuard([], async () => [{ address: '1.1.1.1', family: 4 }]);

it('a host is refused, and nothing is thrown elsewhere, while the addresses of this machine cannot be read', async () => {
  await guard.resolve(URL_OF_IT, asker);
  vi.mocked(networkInterfaces).mockImplementation(() => {
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  });
  await expect(guard.resolve(URL_OF_IT, asker)).rejects.toMatchObject({ code: 'EMFILE' });
});
