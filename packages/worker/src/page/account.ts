import type { PageWindow, Refused } from './window.ts';

declare const window: PageWindow;

/** The account itself; the about text is queried, within the time. */
export async function readProfile(aboutMs: number): Promise<Record<string, unknown>> {
  const { getMaybeMePnUser, getMaybeMeLidUser } = window.require('WAWebUserPrefsMeUser');
  const { Conn } = window.require('WAWebConnModel');
  const [wid, lid] = [getMaybeMePnUser(), getMaybeMeLidUser()];
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), aboutMs));
  const asked = window.require('WAWebContactStatusBridge').getStatus({ wid: wid ?? lid, token: '' });
  // An answer that is late, refused or stale is not the same as no text.
  const told = await Promise.race([asked.catch(() => undefined), late]);
  return {
    id: String(wid ?? lid),
    lid: lid && String(lid),
    name: Conn.pushname,
    about: told && !told.stale ? (told.status ?? '') : undefined,
    isBusiness: Conn.canSetMyPushname?.() === false,
  };
}

/** Changes the name that others see. */
export async function setName(name: string): Promise<'ok' | 'is_business' | Refused> {
  if (window.require('WAWebConnModel').Conn.canSetMyPushname?.() === false) return 'is_business';
  try {
    await window.require('WAWebSetPushnameConnAction').setPushname(name);
    return 'ok';
  } catch (error) {
    return window.chatWebTools.refusedBy(error);
  }
}

/** Changes the about text. */
export async function setAbout(about: string): Promise<'ok' | Refused> {
  const tools = window.chatWebTools;
  try {
    return tools.byStatus(await window.require('WAWebContactStatusBridge').setMyStatus(about));
  } catch (error) {
    return tools.refusedBy(error);
  }
}

/** Changes the picture to the image with that key, cut to a square as the page does it. */
export async function setPicture(key: string): Promise<'ok' | 'no_image' | Refused> {
  const tools = window.chatWebTools;
  try {
    return await tools.setPicture(tools.ownIds()[0], key);
  } catch (error) {
    return tools.refusedBy(error);
  }
}

/** Removes the picture. */
export async function removePicture(): Promise<'ok' | Refused> {
  const tools = window.chatWebTools;
  try {
    return await tools.removePicture(tools.ownIds()[0]);
  } catch (error) {
    return tools.refusedBy(error);
  }
}

/** Shows the account as available or not. False without a name: the network ignores it then. */
export function setPresence(presence: 'available' | 'unavailable'): boolean {
  if (!window.require('WAWebConnModel').Conn.pushname) return false;
  const isAvailable = presence === 'available';
  // The page tells the network its own state again when it reconnects.
  const Stream = window.chatWebTools.optional('WAWebStreamModel')?.Stream;
  const wasAvailable = Stream?.available === true;
  const state = window.chatWeb;
  if (Stream && state) {
    if (state.presence === undefined) {
      // Where no user moves the mouse, the page shows the account as unavailable by itself; with the focus, as available.
      const { markAvailable, markUnavailable } = Stream;
      try {
        Stream.markAvailable = () => {
          if (state.presence === 'available') markAvailable?.call(Stream);
        };
        Stream.markUnavailable = (delayMs) => {
          if (state.presence === 'unavailable') markUnavailable?.call(Stream, delayMs);
        };
      } catch {
        // A build that freezes its modules.
      }
    }
    state.presence = presence;
  }
  if (isAvailable) Stream?.markAvailable?.();
  else Stream?.markUnavailable?.();
  const { sendPresenceAvailable, sendPresenceUnavailable } = window.require('WAWebPresenceChatAction');
  if (isAvailable) {
    sendPresenceAvailable();
    if (!wasAvailable) void window.chatWebTools.watchAgain('forgotten');
  } else sendPresenceUnavailable();
  return true;
}

/** The privacy settings, from the page's memory, under its names. */
export function readPrivacy(): Record<string, unknown> {
  return { ...window.require('WAWebUserPrefsGeneral').getUserPrivacySettings() };
}

/**
 * Changes privacy settings in turn, by the network's names. Returns what was changed, and what ended it; `unknown`: the
 * next one may have been changed as well.
 */
export async function setPrivacy(
  changes: readonly { readonly name: string; readonly value: string }[],
  timeoutMs: number,
): Promise<{ readonly changed: string[]; readonly no?: Refused | 'late' | 'unknown' }> {
  const { setPrivacyForOneCategory } = window.require('WAWebSetPrivacyForOneCategoryAction');
  const deadline = Date.now() + timeoutMs;
  const changed: string[] = [];
  for (const change of changes) {
    if (Date.now() > deadline) return { changed, no: 'late' };
    let asked: Promise<unknown> | undefined;
    try {
      asked = setPrivacyForOneCategory(change);
      await asked;
      changed.push(change.name);
    } catch (error) {
      if (!asked && changed.length === 0) throw error; // Nothing was sent.
      // What was changed must not be lost with an error of the page.
      const refused = window.chatWebTools.refusal(error);
      return { changed, no: refused === undefined ? 'unknown' : { refused } };
    }
  }
  return { changed };
}
