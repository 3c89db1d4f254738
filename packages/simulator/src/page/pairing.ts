import { Emitter } from './emitter.ts';
import { Model } from './model.ts';
import type { PasskeyScreenName } from './wire.ts';

/** How a page can be linked, in the real page's terms. */
export type PairingType = 'QR_CODE' | 'ALT_DEVICE_LINKING' | 'SHORTCAKE_PASSKEY';

/** The events while this page is being linked, with the names of the real page. */
class LinkDeviceEvents extends Emitter {
  /** The network requires a passkey: its screen opens. */
  triggerPasskeyPrologueRequest(): void {
    this.trigger('link_device_events:passkey_prologue_request');
  }

  /** The network has the passkey, and the phone has to continue. */
  triggerShortcakePrologueSent(): void {
    this.trigger('link_device_events:shortcake_prologue_sent');
  }

  /** Phone and page show the same code; with `skipHandoffUx` they need not be compared. */
  triggerShortcakeVerificationCodeReady(code: string, skipHandoffUx: boolean): void {
    this.trigger('link_device_events:shortcake_verification_code_ready', code, skipHandoffUx);
  }

  triggerShortcakeError(reason: 'timeout' | 'server_error'): void {
    this.trigger('link_device_events:shortcake_error', reason);
  }
}

export const linkDeviceEvents = new LinkDeviceEvents();

/** How this page is being linked now. */
export const pairing: { type: PairingType } = { type: 'QR_CODE' };

class PasskeyViewModel extends Model<{ screen: PasskeyScreenName | undefined; code: string | undefined }> {
  static override readonly props = ['screen', 'code'];
}

/** The one that is open, and its code; undefined if none is open. */
export const passkeyView = new PasskeyViewModel();
