import type { Page } from './page.ts';
import type { PageFault } from './wire.ts';

/** Starts the link; a fault of this page may stop it halfway. */
export function startLink({ link, connection }: Page, fault: PageFault): void {
  if (fault === 'state') return;
  if (fault === 'sync') connection.handle('synced', () => undefined);
  link.start();
}
