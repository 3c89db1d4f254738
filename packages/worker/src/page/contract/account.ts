import type { PageChat, PageId, PageMessage } from '../models.ts';
import { type Contract, fn, unchecked } from './part.ts';

/** Modules for the account's profile, presence and privacy. */
export interface AccountModules {
  WAWebSetPushnameConnAction: {
    /** Resolves once the page has it, before the network. */
    setPushname(name: string): Promise<unknown>;
  };
  WAWebContactStatusBridge: {
    getStatus(whose: {
      wid: unknown;
      token: string;
      tcToken?: unknown;
    }): Promise<{ status?: unknown; stale?: boolean } | undefined>;
    /** A refusal is a status other than 200. */
    setMyStatus(text: string): Promise<{ status?: number } | undefined>;
    sendReadStatus(message: PageMessage, seconds: number, options: { sendReceipt: boolean }): Promise<unknown>;
  };
  WAWebStreamModel: {
    /** `mode` is `MAIN` once the page itself is up. The marks are wrapped; a delay is in milliseconds. */
    Stream: { available?: boolean; markAvailable?(): void; markUnavailable?(delayMs?: number): void };
  };
  WAWebPresenceChatAction: {
    /** It is sent to the network, without an answer. */
    sendPresenceAvailable(): unknown;
    sendPresenceUnavailable(): unknown;
    /** The id by which a chat's states are sent. Throws without the hidden id that it should have. */
    getChatIdentifier?(chat: PageChat): PageId;
  };
  WAWebUserPrefsGeneral: {
    /** The settings that the page has synced. */
    getUserPrivacySettings(): Record<string, unknown> | undefined;
  };
  WAWebSetPrivacyForOneCategoryAction: {
    /** Rejects with the network's code. */
    setPrivacyForOneCategory(setting: { name: string; value: string }): Promise<unknown>;
  };
}

/** Their parts. */
export const accountParts: Contract<AccountModules> = {
  WAWebSetPushnameConnAction: { setPushname: fn('setProfileName') },
  WAWebContactStatusBridge: {
    getStatus: fn('getProfile', 'getAbout'),
    setMyStatus: fn('setProfileAbout'),
    sendReadStatus: fn('markStatusSeen'),
  },
  WAWebStreamModel: { Stream: unchecked() },
  WAWebPresenceChatAction: {
    sendPresenceAvailable: fn('setPresence'),
    sendPresenceUnavailable: fn('setPresence'),
    getChatIdentifier: unchecked(),
  },
  WAWebUserPrefsGeneral: { getUserPrivacySettings: fn('getPrivacy', 'updatePrivacy') },
  WAWebSetPrivacyForOneCategoryAction: { setPrivacyForOneCategory: fn('updatePrivacy') },
};
