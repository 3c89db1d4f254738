import { firstSwitches } from './switches.ts';
import type { PageSettings } from './wire.ts';

/** The settings in this document; they apply until the next load. An old saved document may lack some. */
export function readPageSettings(): PageSettings {
  const written = JSON.parse(document.getElementById('page-settings')?.textContent ?? '{}') as Partial<PageSettings>;
  return { ...firstSwitches, fault: 'none', ...written };
}
