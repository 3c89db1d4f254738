import type { Modules } from '../registry.ts';
import type { PageSwitches } from '../switches.ts';

/** Which build of the page this is. */
export function buildModules({ pageVersion }: Pick<PageSwitches, 'pageVersion'>): Modules {
  return {
    WAWebBuildConstants: { VERSION_STR: pageVersion, VERSION_BASE: pageVersion },
  };
}
