import { expect, it } from 'vitest';
import { spawnGateway } from './gateway-process.ts';

it('a gateway that cannot be spawned: the error names the folder', async () => {
  const cwd = '/nonexistent/folder';
  await expect(spawnGateway({}, { cwd })).rejects.toThrow(`the gateway could not be started in ${cwd}: spawn `);
});
