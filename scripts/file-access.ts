import { accessSync } from 'node:fs';

/** True if this user may access a file or folder in this mode, such as `constants.W_OK` of `node:fs`. */
export function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
