import type { PageWindow } from './window.ts';

declare const window: PageWindow;

/** Where the page stands. `document` changes with every load of the page. */
export interface PageLevels {
  readonly document: string;
  readonly injected: boolean;
  readonly listening: boolean;
  readonly socketState: string | undefined;
  readonly hasSynced: boolean;
}

/** Reads levels, so that an edge that was missed is not missed for good. */
export function readLevels(): PageLevels {
  window.chatWeb ??= { document: `${Date.now()}-${Math.random()}` };
  const { document, injected = false, listening = false } = window.chatWeb;
  try {
    const { state, hasSynced } = window.require('WAWebSocketModel').Socket;
    return { document, injected, listening, socketState: state, hasSynced: hasSynced === true };
  } catch {
    return { document, injected, listening, socketState: undefined, hasSynced: false }; // Modules are still loading.
  }
}

/** Marks a step as done in the document that it was done in; a page that has been reloaded since is not marked. */
export function mark(document: string, step: string): void {
  if (window.chatWeb?.document === document) Object.assign(window.chatWeb, { [step]: true });
}

/** Gives the library listeners that do nothing, in place of those whose events nobody here consumes. */
export function ignoreEvents(names: readonly string[]): void {
  for (const name of names) window[name] ??= () => {};
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

/**
 * Acknowledges what the page wants a person to acknowledge. A newly linked device that leaves the dialogue "What's
 * new" unanswered is unlinked after about five minutes. Labels change with language and build; a dialogue with one
 * button leaves no choice, so that it is safe to press.
 */
export function acknowledgeDialogues(intervalMs: number): void {
  setInterval(() => {
    for (const dialogue of window.document.querySelectorAll('[role="dialog"]')) {
      const buttons = dialogue.querySelectorAll('button, [role="button"]');
      if (buttons.length === 1) buttons[0]?.click();
    }
  }, intervalMs);
}

/** Unlinks this device from the phone. */
export async function unlink(): Promise<void> {
  await window.require('WAWebSocketModel').Socket.logout();
}
