import { spawnSync } from 'node:child_process';

/** A user of the machine who is neither root nor the gateway's. */
export const OTHER_USER = 65_534;
/** Another such user. */
export const THIRD_USER = 65_533;

let canBe: boolean | undefined;

/** Only root can act as other users, and only where these may run Node and read this checkout. Tests skip elsewhere. */
export function canBeOthers(): boolean {
  canBe ??=
    process.getuid?.() === 0 &&
    spawnSync(process.execPath, ['-e', 'require("fs").accessSync(process.argv[1])', import.meta.filename], {
      uid: OTHER_USER,
      gid: OTHER_USER,
      cwd: '/',
    }).status === 0;
  return canBe;
}
