import type { PageMessage } from '../window.ts';
import { type Contract, fn, unchecked } from './part.ts';

/** Modules for the account's profile, presence and privacy. */
export interface AccountModules {
  WAWebSetPushnameConnAction: { setPushname(name: string): Promise<unknown> };
  WAWebContactStatusBridge: {
    getStatus(whose: {
      wid: unknown;
      token: string;
      tcToken?: unknown;
    }): Promise<{ status?: unknown; stale?: boolean } | undefined>;
    setMyStatus(text: string): Promise<{ status?: number } | undefined>;
    sendReadStatus(message: PageMessage, seconds: number, options: { sendReceipt: boolean }): Promise<unknown>;
  };
  WAWebStreamModel: {
    Stream: { available?: boolean; markAvailable?(): void; markUnavailable?(delayMs?: number): void };
  };
  WAWebPresenceChatAction: { sendPresenceAvailable(): unknown; sendPresenceUnavailable(): unknown };
  WAWebUserPrefsGeneral: { getUserPrivacySettings(): Record<string, unknown> | undefined };
  WAWebSetPrivacyForOneCategoryAction: {
    setPrivacyForOneCategory(setting: { name: string; value: string }): Promise<unknown>;
  };
}

/** Their parts. */
export const accountParts: Contract<AccountModules> = {
  WAWebSetPushnameConnAction: {
    setPushname: fn('(name) → Promise; resolves once the page has it, before the network', 'setProfileName'),
  },
  WAWebContactStatusBridge: {
    getStatus: fn(
      "({wid, tcToken}), in older builds token → Promise<{status}>, null for no text and '' for a hidden one; {stale: true} without an answer",
      ...(['getProfile', 'getAbout'] as const),
    ),
    setMyStatus: fn('(text) → Promise<{status}>; a refusal is a status other than 200', 'setProfileAbout'),
    sendReadStatus: fn('(message, Unix seconds, {sendReceipt}) → Promise<true | false>', 'markStatusSeen'),
  },
  WAWebStreamModel: {
    Stream: unchecked(
      'mode MAIN once the page itself is up, for dialogs; available; markAvailable(), markUnavailable(delay in ms); wrapped',
    ),
  },
  WAWebPresenceChatAction: {
    sendPresenceAvailable: fn('() → sent to the network, without an answer', 'setPresence'),
    sendPresenceUnavailable: fn('() → the same', 'setPresence'),
  },
  WAWebUserPrefsGeneral: {
    getUserPrivacySettings: fn('() → the settings that the page has synced', 'getPrivacy', 'updatePrivacy'),
  },
  WAWebSetPrivacyForOneCategoryAction: {
    setPrivacyForOneCategory: fn("({name, value}) → Promise; rejects with the network's code", 'updatePrivacy'),
  },
};
