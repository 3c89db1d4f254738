import { resultWithin } from './delay.ts';
import { afterChanges, networkCode, Refusal, refusedByNetwork, requireSuccess } from './refusal.ts';
import { removePicture, setPicture } from './tools/files.ts';
import { optional, ownIds, wrapFunction } from './tools/identities.ts';
import { watchAgain } from './tools/presences.ts';

/** The requested presence of the account; the page decides until it is set. */
let requested: 'available' | 'unavailable' | undefined;

/** The account itself. Queries its about text, with a time limit. */
export async function getProfile(aboutMs: number): Promise<Record<string, unknown>> {
  const { getMaybeMePnUser, getMaybeMeLidUser } = window.require('WAWebUserPrefsMeUser');
  const { Conn } = window.require('WAWebConnModel');
  const [wid, lid] = [getMaybeMePnUser(), getMaybeMeLidUser()];
  const asked = window.require('WAWebContactStatusBridge').getStatus({ wid: wid ?? lid, token: '' });
  // A late, refused or stale answer does not mean that there is no text.
  const answer = await resultWithin(asked, aboutMs);
  return {
    id: String(wid ?? lid),
    lid: lid && String(lid),
    name: Conn.pushname,
    about: answer && !answer.stale ? (answer.status ?? '') : undefined,
    isBusiness: Conn.canSetMyPushname?.() === false,
  };
}

/** Changes the name that others see. */
export async function setProfileName(name: string): Promise<void> {
  if (window.require('WAWebConnModel').Conn.canSetMyPushname?.() === false)
    throw new Refusal('not_permitted', 'the name of a business account can only be changed on its phone');
  await window.require('WAWebSetPushnameConnAction').setPushname(name);
}

/** Changes the about text. */
export async function setProfileAbout(about: string): Promise<void> {
  requireSuccess(await window.require('WAWebContactStatusBridge').setMyStatus(about));
}

/** Changes the picture to the image with that key, cropped to a square as by the page. */
export async function setProfilePicture(key: string): Promise<void> {
  await setPicture(ownIds()[0], key);
}

/** Removes the picture. */
export async function removeProfilePicture(): Promise<void> {
  await removePicture(ownIds()[0]);
}

/** Shows the account as available or not. The network ignores the presence of an account without a name. */
export function setPresence(presence: 'available' | 'unavailable'): void {
  if (!window.require('WAWebConnModel').Conn.pushname)
    throw new Refusal('not_permitted', 'an account without a name has no presence: set its name first');
  const isAvailable = presence === 'available';
  // On reconnect, the page sends its own state to the network again.
  const Stream = optional('WAWebStreamModel')?.Stream;
  const wasAvailable = Stream?.available === true;
  if (Stream) {
    if (requested === undefined) {
      // The page sets the presence itself: unavailable if no user moves the mouse, available when it has the focus.
      wrapFunction(Stream, 'markAvailable', (mark) => () => {
        if (requested === 'available') mark.call(Stream);
      });
      wrapFunction(Stream, 'markUnavailable', (mark) => (delayMs) => {
        if (requested === 'unavailable') mark.call(Stream, delayMs);
      });
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
}

/** The privacy settings, from the page's memory, under its names. */
export function getPrivacy(): Record<string, unknown> {
  return { ...window.require('WAWebUserPrefsGeneral').getUserPrivacySettings() };
}

/** Changes privacy settings one by one, by the network's names. A refusal names those that were changed before it. */
export async function updatePrivacy(
  changes: readonly { readonly setting: string; readonly name: string; readonly value: string }[],
  timeoutMs: number,
): Promise<void> {
  const { setPrivacyForOneCategory } = window.require('WAWebSetPrivacyForOneCategoryAction');
  const deadline = Date.now() + timeoutMs;
  const changed: string[] = [];
  for (const { setting, ...change } of changes) {
    if (Date.now() > deadline)
      throw afterChanges(changed, new Refusal('outcome_unknown', 'the time limit was reached'));
    let asked: Promise<unknown> | undefined;
    try {
      asked = setPrivacyForOneCategory(change);
      await asked;
      changed.push(setting);
    } catch (error) {
      if (!asked && changed.length === 0) throw error; // Nothing was sent.
      const code = networkCode(error);
      const unknown = new Refusal('outcome_unknown', 'the web client failed, and may have changed the next setting');
      throw afterChanges(changed, code === undefined ? unknown : refusedByNetwork(code));
    }
  }
}
