import { within } from './delay.ts';
import { openDialogs } from './dialogs.ts';
import type { PageLimit } from './models.ts';
import { setUp } from './set-up.ts';
import { accountLimits } from './tools/limits.ts';

/** The state of the page. `document` changes with every load of the page. */
export interface PageState {
  readonly document: string;
  readonly injected: boolean;
  readonly listening: boolean;
  readonly socketState: string | undefined;
  readonly hasSynced: boolean;
  /** Changes while a sync makes progress: how many chats and messages the page has. */
  readonly progress: string;
  /** Texts of open dialogs. */
  readonly dialogs: readonly string[];
  /** Undefined if they cannot be read. */
  readonly limits: readonly PageLimit[] | undefined;
}

/** Reads the state of the page, polled because an event may be lost. */
export function readPageState(): PageState {
  const sizes = () => {
    try {
      const { Chat, Msg } = window.require('WAWebCollections');
      return [Chat, Msg].map((collection) => (collection as { length?: number }).length ?? 0).join('+');
    } catch {
      return ''; // Modules are still loading.
    }
  };
  const limits = () => {
    try {
      return accountLimits();
    } catch {
      return undefined;
    }
  };
  const known = { ...setUp, dialogs: openDialogs(), progress: sizes(), limits: limits() };
  try {
    const { state, hasSynced } = window.require('WAWebSocketModel').Socket;
    return { ...known, socketState: state, hasSynced: hasSynced === true };
  } catch {
    return { ...known, socketState: undefined, hasSynced: false };
  }
}

/** The linked account, by phone number if the page knows it, otherwise by hidden id. */
export function readAccount(): Record<'pushname' | 'wid' | 'platform', string | undefined> {
  const { pushname, platform } = window.require('WAWebConnModel').Conn;
  const { getMaybeMePnUser, getMaybeMeLidUser } = window.require('WAWebUserPrefsMeUser');
  return { pushname, wid: (getMaybeMePnUser() ?? getMaybeMeLidUser())?.toString(), platform };
}

/** Queries the network about the account itself. Resolves or rejects with its answer; hangs on a dead connection. */
export async function queryNetwork(): Promise<void> {
  const { getMaybeMePnUser, getMaybeMeLidUser } = window.require('WAWebUserPrefsMeUser');
  // The page does not know the number of some accounts.
  const me = getMaybeMePnUser() ?? getMaybeMeLidUser();
  const wid = window.require('WAWebWidFactory').createWid(String(me).replace(/:\d+@/, '@'));
  await window.require('WAWebQueryExistsJob').queryWidExists(wid);
}

/** Unlinks this device from the phone. The page reloads afterwards, which may abort this call. */
export async function unlink(timeoutMs: number): Promise<void> {
  const { Cmd } = window.require('WAWebCmd');
  // The page returns before it has notified the network, and would be closed too early.
  const isNotified = new Promise<void>((resolve) => {
    for (const event of ['logout', 'logout_from_bridge']) Cmd.on(event, resolve);
  });
  const over = within(isNotified, timeoutMs);
  await window.require('WAWebSocketModel').Socket.logout();
  await over;
}
