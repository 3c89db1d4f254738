import { pictureHost } from './web/pictures.ts';

/** The hosts that the simulator serves. */
export const playedHosts = ['web.whatsapp.com', pictureHost];

/**
 * The arguments that make Chromium resolve web.whatsapp.com to this simulator, and no other host. The
 * certificate is accepted by its hash only, which Chromium supports only with its own profile directory.
 */
export function browserArgs(port: number, fingerprint: string): string[] {
  const played = playedHosts.map((host) => `MAP ${host} 127.0.0.1:${port}`);
  const rules = [...played, 'MAP * ~NOTFOUND', 'EXCLUDE 127.0.0.1', 'EXCLUDE localhost'];
  return [
    `--host-resolver-rules=${rules.join(', ')}`,
    `--ignore-certificate-errors-spki-list=${fingerprint}`,
    // A saved document that another server serves must still reach this machine.
    `--ip-address-space-overrides=127.0.0.1:${port}=public`,
  ];
}
