import { Model } from '../model.ts';

/** The screens that a page shows for a passkey. */
export type PasskeyScreenName = 'passkey_prompt' | 'passkey_pending' | 'waiting_for_phone' | 'code_matching' | 'error';

class PasskeyViewModel extends Model<{ screen: PasskeyScreenName | undefined; code: string | undefined }> {
  static override readonly props = ['screen', 'code'];
}

/** The one that is open, and its code; undefined if none is open. */
export const passkeyView = new PasskeyViewModel();
