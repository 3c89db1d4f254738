import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { objectStatusActions } from '../status/object-actions.ts';
import { positionalStatusActions } from '../status/positional-actions.ts';
import { switches } from '../switches.ts';

/** The actions for the status feed, in the form of the page's build. */
export function statusModules(page: Page): Modules {
  if (switches.statusActions === 'object') return objectStatusActions(page);
  return positionalStatusActions(page);
}
