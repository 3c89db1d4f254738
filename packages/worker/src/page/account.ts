import { delay } from './delay.ts';
import type { Refused } from './models.ts';
import { removePicture, setPicture } from './tools/files.ts';
import { optional, ownIds } from './tools/identities.ts';
import { watchAgain } from './tools/presences.ts';
import { byStatus, refusal, refusedBy } from './tools/refusals.ts';

/** The requested presence of the account; the page decides until it is set. */
let requested: 'available' | 'unavailable' | undefined;

/** The account itself. Queries its about text, with a time limit. */
export async function readProfile(aboutMs: number): Promise<Record<string, unknown>> {
  const { getMaybeMePnUser, getMaybeMeLidUser } = window.require('WAWebUserPrefsMeUser');
  const { Conn } = window.require('WAWebConnModel');
  const [wid, lid] = [getMaybeMePnUser(), getMaybeMeLidUser()];
  const late = delay(aboutMs);
  const asked = window.require('WAWebContactStatusBridge').getStatus({ wid: wid ?? lid, token: '' });
  // A late, refused or stale answer does not mean that there is no text.
  const answer = await Promise.race([asked.catch(() => undefined), late]);
  return {
    id: String(wid ?? lid),
    lid: lid && String(lid),
    name: Conn.pushname,
    about: answer && !answer.stale ? (answer.status ?? '') : undefined,
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
    return refusedBy(error);
  }
}

/** Changes the about text. */
export async function setAbout(about: string): Promise<'ok' | Refused> {
  try {
    return byStatus(await window.require('WAWebContactStatusBridge').setMyStatus(about));
  } catch (error) {
    return refusedBy(error);
  }
}

/** Changes the picture to the image with that key, cropped to a square as by the page. */
export async function setProfilePicture(key: string): Promise<'ok' | 'no_image' | Refused> {
  try {
    return await setPicture(ownIds()[0], key);
  } catch (error) {
    return refusedBy(error);
  }
}

/** Removes the picture. */
export async function removeProfilePicture(): Promise<'ok' | Refused> {
  try {
    return await removePicture(ownIds()[0]);
  } catch (error) {
    return refusedBy(error);
  }
}

/** Shows the account as available or not. False without a name: the network ignores the presence then. */
export function setPresence(presence: 'available' | 'unavailable'): boolean {
  if (!window.require('WAWebConnModel').Conn.pushname) return false;
  const isAvailable = presence === 'available';
  // On reconnect, the page sends its own state to the network again.
  const Stream = optional('WAWebStreamModel')?.Stream;
  const wasAvailable = Stream?.available === true;
  if (Stream) {
    if (requested === undefined) {
      // The page sets the presence itself: unavailable if no user moves the mouse, available when it has the focus.
      const { markAvailable, markUnavailable } = Stream;
      try {
        Stream.markAvailable = () => {
          if (requested === 'available') markAvailable?.call(Stream);
        };
        Stream.markUnavailable = (delayMs) => {
          if (requested === 'unavailable') markUnavailable?.call(Stream, delayMs);
        };
      } catch {
        // This build freezes its modules.
      }
    }
    requested = presence;
  }
  if (isAvailable) Stream?.markAvailable?.();
  else Stream?.markUnavailable?.();
  const { sendPresenceAvailable, sendPresenceUnavailable } = window.require('WAWebPresenceChatAction');
  if (isAvailable) {
    sendPresenceAvailable();
    if (!wasAvailable) void watchAgain('forgotten');
  } else sendPresenceUnavailable();
  return true;
}

/** The privacy settings, from the page's memory, under its names. */
export function readPrivacy(): Record<string, unknown> {
  return { ...window.require('WAWebUserPrefsGeneral').getUserPrivacySettings() };
}

/**
 * Changes privacy settings one by one, by the network's names. Returns the changed ones, and why it stopped; `unknown`:
 * the next one may have been changed as well.
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
      // An error of the page must not hide what was changed.
      const refused = refusal(error);
      return { changed, no: refused === undefined ? 'unknown' : { refused } };
    }
  }
  return { changed };
}
