import type { PageWindow } from './window.ts';

declare const window: PageWindow;

/** What the page shows to whoever links it, beside a QR. */
export interface LinkScreen {
  /** What the page waits for before it links an account with a passkey. */
  readonly passkey: 'passkey' | 'phone' | 'code' | undefined;
}

/**
 * Looks at the screen of the page that asks for a passkey. The request to the browser, which follows if somebody presses
 * the button there, is the page's own, and is neither seen nor changed. Where the screen cannot be told from others, the
 * event that opens it counts, for as long as the network waits for the passkey.
 */
export function readLinkScreen(passkeyMs: number): LinkScreen {
  const { chatWeb } = window;
  if (chatWeb && !chatWeb.linking) {
    try {
      const { WAWebLinkDeviceEvents: events } = window.require('WAWebLinkDeviceEvents');
      const linking = { askedAt: 0, hasScreen: false };
      events.on('link_device_events:passkey_prologue_request', () => {
        linking.askedAt = Date.now();
      });
      chatWeb.linking = linking;
    } catch {
      // Not loaded yet, or not in this build.
    }
  }
  const isShown = (testId: string) => [...window.document.querySelectorAll(`[data-testid="${testId}"]`)].length > 0;
  const linking = chatWeb?.linking;
  if (!isShown('shortcake_passkey_screen')) {
    const isAsked = linking && !linking.hasScreen && Date.now() - linking.askedAt < passkeyMs;
    return { passkey: isAsked ? 'passkey' : undefined };
  }
  if (linking) linking.hasScreen = true;
  if (isShown('shortcake_code_matching_card')) return { passkey: 'code' };
  return { passkey: isShown('shortcake_waiting_for_phone_card') ? 'phone' : 'passkey' };
}
