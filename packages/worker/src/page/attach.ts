import { listenToChanges } from './changes.ts';
import { listen } from './listeners.ts';
import { mark } from './session.ts';
import { installChangeTools } from './tools/changes.ts';
import { installChatTools } from './tools/chats.ts';
import { installFileTools } from './tools/files.ts';
import { installGroupTools } from './tools/groups.ts';
import { installIdTools } from './tools/identities.ts';
import { installMessageTools } from './tools/messages.ts';
import { installNumberTools } from './tools/numbers.ts';
import { installOutcomeTools } from './tools/outcomes.ts';
import { installPresenceTools } from './tools/presences.ts';
import { installSendTools } from './tools/sends.ts';

export { listenToChanges };

/** Listens to the page, and reports what happens there. `lookUpsFrom`: as Unix time in ms. */
export function attach(document: string, lookUpsFrom: number): void {
  installIdTools(lookUpsFrom);
  installMessageTools();
  installOutcomeTools();
  installSendTools();
  installNumberTools();
  installGroupTools();
  installChatTools();
  installChangeTools();
  installFileTools();
  installPresenceTools();
  listen();
  listenToChanges();
  mark(document, 'listening');
}
