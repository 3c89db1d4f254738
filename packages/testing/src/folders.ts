import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one test; `dispose` removes it. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'chat-web-test-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

/**
 * Copies a data folder while a gateway uses it or after it has died, as to another disk: with other inodes, and without
 * its lock, which is a socket, and without files that are just being replaced.
 */
export async function copyDataFolder(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, filter: (path) => !/gateway\.lock$|\.new$/.test(path) });
}

/** Makes a session with saved auth, as an earlier gateway left it: known, and stopped unless sessions start at boot. */
export async function saveSession(dataDir: string, id: string): Promise<void> {
  const folder = join(dataDir, 'sessions', id);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'linked.json'), '{}');
}

const SCRIPT = `chdir $ARGV[0] or die; for (1 .. $ARGV[1]) { mkdir 'd' x 200 or die; mkdir "side-$_"; chdir 'd' x 200 or die }`;

/** Makes folders in a folder, each in the one before: so deep that a path to the last one is too long. */
export function makeDeepFolder(folder: string, depth = 60): void {
  execFileSync('perl', ['-e', SCRIPT, folder, String(depth)]);
}
