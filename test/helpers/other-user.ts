/** Only root can let other users attack; elsewhere these tests are skipped. */
export const isRoot = process.getuid?.() === 0;
/** A user of the machine who is neither root nor the gateway's. */
export const OTHER_USER = 65_534;
/** One more of that kind. */
export const THIRD_USER = 65_533;
