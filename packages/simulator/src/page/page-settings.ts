import type { PageSettings } from './wire.ts';

/** What the server wrote into this document; holds until the next load. */
export function readPageSettings(): PageSettings {
  return JSON.parse(document.getElementById('page-settings')?.textContent ?? '{}') as PageSettings;
}
