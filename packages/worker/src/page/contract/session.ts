import type { PageId, PageMessage } from '../window.ts';
import { type Contract, either, fn, object, SEND, unchecked } from './part.ts';

/** Modules for the start of a session, and for linking. */
export interface SessionModules {
  WAWebSocketModel: {
    Socket: {
      state: string;
      hasSynced?: boolean;
      logout(): unknown;
      on(event: string, listener: (socket: unknown, state: unknown) => void): void;
    };
  };
  WAWebUserPrefsMeUser: { getMaybeMePnUser(): PageId | undefined; getMaybeMeLidUser(): PageId | undefined };
  WAWebWidFactory: { createWid(id: string): object; asUserWidOrThrow(wid: unknown): PageId };
  WAWebMsgKey: {
    prototype: object;
    newId(): Promise<string>;
    new (parts: { from: unknown; to: unknown; id: string; participant: unknown; selfDir: 'out' }): PageMessage['id'];
  };
  WAWebConnModel: { Conn: { pushname?: string; platform?: string; canSetMyPushname?(): boolean } };
  WAWebCmd: { Cmd: { refreshQR?(): void; on(event: string, listener: () => void): void } };
  WAWebLaunchSocketUtils: { refreshQR(): void };
  WAWebLinkDeviceEvents: { WAWebLinkDeviceEvents: { on(event: string, listener: () => void): void } };
  WAWebBuildConstants: { VERSION_STR: string };
  WAWebAltDeviceLinkingApi: {
    setPairingType(type: 'ALT_DEVICE_LINKING'): void;
    initializeAltDeviceLinking(): Promise<void>;
    startAltLinkingFlow(phone: string, notifiesPhone: boolean): Promise<string>;
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
    Socket: object('the connection: on(event, listener)', 'session'),
    'Socket.on': fn('(change:state | change:hasSynced, listener)', 'session'),
    'Socket.state': unchecked('OPENING, PAIRING, UNPAIRED, CONNECTED, CONFLICT, …'),
    'Socket.hasSynced': unchecked('true once the page has synced'),
    'Socket.logout': unchecked('() → unlinks this device'),
  },
  WAWebUserPrefsMeUser: {
    getMaybeMePnUser: fn('() → own id by number', 'session'),
    getMaybeMeLidUser: fn('() → own hidden id', 'session'),
  },
  WAWebWidFactory: {
    createWid: fn('(text) → id; throws for an invalid id', 'session'),
    asUserWidOrThrow: fn("(id) → the person's id, in groups and in the status feed", ...SEND, 'postStatus.media'),
  },
  WAWebMsgKey: {
    prototype: object('toString() is the serialised id', 'session'),
    newId: fn('() → Promise of a new id', ...SEND, 'postStatus.media'),
  },
  WAWebConnModel: {
    Conn: object(
      'pushname, platform, canSetMyPushname(); ref and on(change:ref) for the QR',
      ...(['link', 'setPresence', 'listLabels', 'listChatLabels', 'setChatLabels'] as const),
    ),
  },
  WAWebCmd: {
    Cmd: object('on(logout | logout_from_bridge | offline_progress_update_from_bridge), refreshQR()', 'logout'),
  },
  WAWebLaunchSocketUtils: {
    refreshQR: either(fn('() → fresh QR references; in older builds Cmd.refreshQR', 'link'), 'WAWebCmd.Cmd'),
  },
  WAWebLinkDeviceEvents: {
    WAWebLinkDeviceEvents: unchecked('on(link_device_events:…, listener)'),
  },
  WAWebOfflineHandler: { OfflineMessageHandler: unchecked('getOfflineDeliveryProgress() → percent, 99 at most') },
  WAWebBuildConstants: { VERSION_STR: unchecked('the version, if window.Debug does not have it') },
  WABase64: { encodeB64: fn('(bytes) → text', 'link') },
  WAWebCompanionRegClientUtils: { DEVICE_PLATFORM: unchecked('part of the QR', 'link') },
  WAWebAdvSignatureApi: {},
  WAWebAltDeviceLinkingApi: {
    setPairingType: fn('(ALT_DEVICE_LINKING | QR_CODE)', 'requestPairingCode'),
    initializeAltDeviceLinking: fn('() → Promise; removes the secret of the QR', 'requestPairingCode'),
    startAltLinkingFlow: fn(
      '(digits, whether the phone is notified) → Promise<code>; throws {type: {name, value: {code}}}',
      'requestPairingCode',
    ),
    initializeQRLinking: unchecked('() → Promise; sets a new secret of the QR'),
  },
  WAWebUserPrefsInfoStore: { waNoiseInfo: object('get() → {staticKeyPair}', 'link') },
  WAWebSignalStoreApi: { waSignalStore: object('getRegistrationInfo() → {identityKeyPair}', 'link') },
  WAWebUserPrefsMultiDevice: { getADVSecretKey: fn('() → part of the QR', 'link') },
};
