import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes a session with saved auth, as an earlier gateway left it: known, and stopped unless sessions start at boot. */
export async function saveSession(dataDir: string, id: string): Promise<void> {
  const folder = join(dataDir, 'sessions', id);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'linked.json'), '{}');
}
