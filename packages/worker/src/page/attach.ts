import { listenToChanges } from './changes.ts';
import { listen } from './listeners.ts';
import { mark, setUp } from './set-up.ts';
import { attachChats } from './tools/chats.ts';
import { files } from './tools/files.ts';
import { attachIds } from './tools/identities.ts';
import { attachLibrary } from './tools/library.ts';
import { canIdentify } from './tools/outcomes.ts';

/** Listens to the page, and reports what happens there. `lookUpsFrom`: as Unix time in ms. */
export function attach(document: string, lookUpsFrom: number): void {
  if (document !== setUp.document) return; // The page was loaded again since.
  attachIds(lookUpsFrom);
  canIdentify(); // From now on, messages of this page are noted.
  attachChats();
  attachLibrary(files);
  listen();
  listenToChanges();
  mark(document, 'listening');
}
