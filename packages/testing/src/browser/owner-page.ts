import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Passkey } from '@chat-web/simulator';
import puppeteer, { type Page } from 'puppeteer';
import { eventually } from '../eventually.ts';

/**
 * The page of a session, for a test that plays the owner of the account. Its browser has the argument
 * `--remote-debugging-port=0`, and its profile is in `folder`. Disconnect from the browser at the end.
 */
export async function ownerPage(folder: string): Promise<Page> {
  const port = await eventually(async () => {
    const files = await readdir(folder, { recursive: true });
    const file = files.find((path) => path.endsWith('DevToolsActivePort'));
    if (!file) throw new Error('the browser has not started yet');
    const [first = ''] = (await readFile(join(folder, file), 'utf8')).split('\n');
    if (!/^\d+$/.test(first)) throw new Error('the browser has not written its port yet');
    return first;
  });
  const browser = await puppeteer.connect({ browserURL: `http://127.0.0.1:${port}`, defaultViewport: null });
  const [page] = await browser.pages();
  if (!page) throw new Error('the browser has no page');
  return page;
}

/** Adds an authenticator with a passkey to a page, which confirms every prompt. */
export async function plugIn(page: Page, { credential }: Passkey): Promise<void> {
  const devTools = await page.createCDPSession();
  await devTools.send('WebAuthn.enable');
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await devTools.send('WebAuthn.addCredential', { authenticatorId, credential });
}
