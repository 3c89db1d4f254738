import type { PageId, PageMessage } from '../models.ts';
import { type Contract, either, fn, object, SEND, unchecked } from './part.ts';

/** Modules for the start of a session, and for linking. */
export interface SessionModules {
  WAWebSocketModel: {
    /** The connection. */
    Socket: {
      /** `OPENING`, `PAIRING`, `UNPAIRED`, `CONNECTED`, `CONFLICT`, … */
      state: string;
      /** True once the page has synced. */
      hasSynced?: boolean;
      /** Unlinks this device. */
      logout(): unknown;
      /** Events: `change:state`, `change:hasSynced`. */
      on(event: string, listener: (socket: unknown, state: unknown) => void): void;
    };
  };
  WAWebUserPrefsMeUser: {
    /** The account's own id, by number. */
    getMaybeMePnUser(): PageId | undefined;
    /** The account's own hidden id. */
    getMaybeMeLidUser(): PageId | undefined;
  };
  WAWebWidFactory: {
    /** Throws for an invalid id. */
    createWid(id: string): object;
    /** The person's id, in groups and in the status feed. */
    asUserWidOrThrow(wid: unknown): PageId;
  };
  WAWebMsgKey: {
    /** `toString()` is the serialised id. */
    prototype: object;
    newId(): Promise<string>;
    new (parts: { from: unknown; to: unknown; id: string; participant: unknown; selfDir: 'out' }): PageMessage['id'];
  };
  WAWebConnModel: {
    /** The library also uses `ref` and its event `change:ref`, for the QR. */
    Conn: { pushname?: string; platform?: string; canSetMyPushname?(): boolean };
  };
  WAWebCmd: {
    /** Events: `logout`, `logout_from_bridge`, `offline_progress_update_from_bridge`. */
    Cmd: { refreshQR?(): void; on(event: string, listener: () => void): void };
  };
  WAWebLaunchSocketUtils: {
    /** Requests new QR references. In older builds `Cmd.refreshQR`. */
    refreshQR(): void;
  };
  WAWebLinkDeviceEvents: {
    /** Events: `link_device_events:` and a name. */
    WAWebLinkDeviceEvents: { on(event: string, listener: () => void): void };
  };
  encodeProtobuf: {
    /** The bytes of a message. A device registers as `DeviceProps`: phones show its `os`. */
    encodeProtobuf(spec: { readonly name?: unknown }, value: object, ...more: unknown[]): unknown;
  };
  WAWebFbtCommon: {
    /** A word of the page in the language of the account, by its English form. Throws for one that it does not have. */
    default?(word: string): unknown;
  };
  WAWebBuildConstants: {
    /** The version, if window.Debug does not have it. */
    VERSION_STR: string;
  };
  WAWebAltDeviceLinkingApi: {
    setPairingType(type: 'ALT_DEVICE_LINKING'): void;
    /** Removes the secret of the QR. */
    initializeAltDeviceLinking(): Promise<void>;
    /** Throws `{type: {name, value: {code}}}`. */
    startAltLinkingFlow(phone: string, notifiesPhone: boolean): Promise<string>;
    /** Sets a new secret of the QR. */
    initializeQRLinking?(): Promise<void>;
  };
}

/** Modules that the library uses for these. */
type OfLibrary =
  | 'WAWebOfflineHandler'
  | 'WABase64'
  | 'WAWebCompanionRegClientUtils'
  | 'WAWebAdvSignatureApi'
  | 'WAWebUserPrefsInfoStore'
  | 'WAWebSignalStoreApi'
  | 'WAWebUserPrefsMultiDevice';

/** Their parts. */
export const sessionParts: Contract<SessionModules, OfLibrary> = {
  WAWebSocketModel: {
    Socket: object('session'),
    'Socket.on': fn('session'),
    'Socket.state': unchecked(),
    'Socket.hasSynced': unchecked(),
    'Socket.logout': unchecked(),
  },
  WAWebUserPrefsMeUser: {
    getMaybeMePnUser: fn('session'),
    getMaybeMeLidUser: fn('session'),
  },
  WAWebWidFactory: {
    createWid: fn('session'),
    asUserWidOrThrow: fn(...SEND, 'postStatus.media'),
  },
  WAWebMsgKey: {
    prototype: object('session'),
    newId: fn(...SEND, 'postStatus.media'),
  },
  WAWebConnModel: { Conn: object('link', 'setPresence', 'listLabels', 'listChatLabels', 'setChatLabels') },
  WAWebCmd: { Cmd: object('logout') },
  WAWebLaunchSocketUtils: { refreshQR: either(fn('link'), 'WAWebCmd.Cmd') },
  WAWebLinkDeviceEvents: { WAWebLinkDeviceEvents: unchecked() },
  WAWebOfflineHandler: {
    // getOfflineDeliveryProgress() → percent, 99 at most
    OfflineMessageHandler: unchecked(),
  },
  encodeProtobuf: { encodeProtobuf: unchecked() },
  WAWebFbtCommon: { default: unchecked() },
  WAWebBuildConstants: { VERSION_STR: unchecked() },
  WABase64: {
    // (bytes) → text
    encodeB64: fn('link'),
  },
  WAWebCompanionRegClientUtils: {
    // part of the QR
    DEVICE_PLATFORM: unchecked('link'),
  },
  WAWebAdvSignatureApi: {},
  WAWebAltDeviceLinkingApi: {
    setPairingType: fn('requestPairingCode'),
    initializeAltDeviceLinking: fn('requestPairingCode'),
    startAltLinkingFlow: fn('requestPairingCode'),
    initializeQRLinking: unchecked(),
  },
  WAWebUserPrefsInfoStore: {
    // get() → {staticKeyPair}
    waNoiseInfo: object('link'),
  },
  WAWebSignalStoreApi: {
    // getRegistrationInfo() → {identityKeyPair}
    waSignalStore: object('link'),
  },
  WAWebUserPrefsMultiDevice: {
    // () → part of the QR
    getADVSecretKey: fn('link'),
  },
};
