import { accessSync } from 'node:fs';

/** True where this user may do that with a file or folder: `constants.W_OK` and the like of `node:fs`. */
export function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
