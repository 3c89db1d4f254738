import { firstSwitches } from './switches.ts';
import type { PageSettings } from './wire.ts';

/** What the server wrote into this document; holds until the next load. One that was saved long ago may lack some. */
export function readPageSettings(): PageSettings {
  const written = JSON.parse(document.getElementById('page-settings')?.textContent ?? '{}') as Partial<PageSettings>;
  return { ...firstSwitches, fault: 'none', ...written };
}
