import type { PageState } from '../page/session.ts';
import { wasNavigated } from './page-errors.ts';
import type { PageLink } from './page-link.ts';

/**
 * True if a navigation explains an error: the document of `before` was replaced. The call may also have run in the next
 * document while that was loading, and failed there. Never rejects.
 */
export async function wasReplaced(link: PageLink, before: PageState | undefined, error: unknown): Promise<boolean> {
  if (wasNavigated(error)) return true;
  try {
    return before !== undefined && before.document !== (await link.run('readPageState')).document;
  } catch (again) {
    return wasNavigated(again);
  }
}
