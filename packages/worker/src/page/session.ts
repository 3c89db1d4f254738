import type { PageWindow } from './window.ts';

declare const window: PageWindow;

/** Where the page stands. `document` changes with every load of the page. */
export interface PageLevels {
  readonly document: string;
  readonly injected: boolean;
  readonly listening: boolean;
  readonly socketState: string | undefined;
  readonly hasSynced: boolean;
  /** Changes while a sync moves: how much the page holds. */
  readonly progress: string;
  /** Texts of dialogs that nothing has closed. */
  readonly dialogs: readonly string[];
}

/** Reads levels, so that an edge that was missed is not missed for good. */
export function readLevels(): PageLevels {
  window.chatWeb ??= { document: `${Date.now()}-${Math.random()}` };
  const { document, injected = false, listening = false, dialogs = [] } = window.chatWeb;
  const held = () => {
    try {
      const { Chat, Msg } = window.require('WAWebCollections');
      return [Chat, Msg].map((collection) => (collection as { length?: number }).length ?? 0).join('+');
    } catch {
      return ''; // Modules are still loading.
    }
  };
  const levels = { document, injected, listening, dialogs, progress: held() };
  try {
    const { state, hasSynced } = window.require('WAWebSocketModel').Socket;
    return { ...levels, socketState: state, hasSynced: hasSynced === true };
  } catch {
    return { ...levels, socketState: undefined, hasSynced: false };
  }
}

/** Marks a step as done in the document that it was done in; a page that has been reloaded since is not marked. */
export function mark(document: string, step: string): void {
  if (window.chatWeb?.document === document) Object.assign(window.chatWeb, { [step]: true });
}

/** The linked account, with its phone number rather than its hidden id where the page knows it. */
export function readAccount(): Record<'pushname' | 'wid' | 'platform', string | undefined> {
  const { pushname, platform } = window.require('WAWebConnModel').Conn;
  const { getMaybeMePnUser, getMaybeMeLidUser } = window.require('WAWebUserPrefsMeUser');
  return { pushname, wid: (getMaybeMePnUser() ?? getMaybeMeLidUser())?.toString(), platform };
}

/** Asks the network about the account itself; returns when there is an answer, whatever it is. */
export async function isNetworkThere(): Promise<void> {
  const me = window.require('WAWebUserPrefsMeUser').getMaybeMePnUser();
  const wid = window.require('WAWebWidFactory').createWid(`${me?.user}@c.us`);
  await window.require('WAWebQueryExistsJob').queryWidExists(wid);
}

/** Asks for fresh QR references after the last one has expired. */
export function refreshQr(): void {
  const { Cmd } = window.require('WAWebCmd');
  if (Cmd.refreshQR) Cmd.refreshQR();
  else window.require('WAWebLaunchSocketUtils').refreshQR();
}

/** Unlinks this device from the phone. */
export async function unlink(): Promise<void> {
  await window.require('WAWebSocketModel').Socket.logout();
}
