import { execFileSync } from 'node:child_process';

const SCRIPT = `chdir $ARGV[0] or die; for (1 .. $ARGV[1]) { mkdir 'd' x 200 or die; mkdir "side-$_"; chdir 'd' x 200 or die }`;

/** Makes folders in a folder, each in the one before: so deep that a path to the last one is too long. */
export function makeDeepFolder(folder: string, depth = 60): void {
  execFileSync('perl', ['-e', SCRIPT, folder, String(depth)]);
}
