import { decodeB64, encodeB64 } from '../base64.ts';
import { protobuf } from '../device-props.ts';
import type { Link } from '../link.ts';
import { conn, socket, stream } from '../models/conn.ts';
import type { Page } from '../page.ts';
import { linkDeviceEvents, type PairingType, pairing } from '../pairing.ts';
import { DEVICE_PLATFORM } from '../qr-view.ts';
import type { Modules } from '../registry.ts';

/** The connection and its states, the actions on the link, and the parts of the QR. */
export function linkModules({ link, users }: Page): Modules {
  const keyPair = (key: Uint8Array) => ({ pubKey: key.slice().buffer });
  return {
    WAWebSocketModel: {
      Socket: Object.assign(socket, { logout: () => link.logout(), takeover: () => link.takeover() }),
    },
    WAWebStreamModel: { Stream: stream },
    WAWebFbtCommon: { default: commonWord },
    // The name of a business account is changed on its phone.
    WAWebConnModel: { Conn: Object.assign(conn, { canSetMyPushname: () => users.self?.isBusiness !== true }) },
    WAWebLaunchSocketUtils: { refreshQR: () => link.refreshQr() },
    WAWebOfflineHandler: {
      OfflineMessageHandler: {
        getOfflineDeliveryProgress: () => link.offlineProgress,
        isResumeComplete: () => link.isResumed,
      },
    },
    encodeProtobuf: protobuf,
    WABase64: { encodeB64, decodeB64 },
    WAWebCompanionRegClientUtils: { DEVICE_PLATFORM },
    WAWebAdvSignatureApi: {},
    WAWebUserPrefsMultiDevice: { getADVSecretKey: () => link.credentials.advSecret },
    WAWebUserPrefsInfoStore: {
      waNoiseInfo: { get: async () => ({ staticKeyPair: keyPair(link.credentials.noiseKey) }) },
    },
    WAWebSignalStoreApi: {
      waSignalStore: {
        getRegistrationInfo: async () => ({ identityKeyPair: keyPair(link.credentials.identityKey) }),
      },
    },
    WAWebAltDeviceLinkingApi: codeLinking(link),
    WAWebLinkDeviceEvents: { WAWebLinkDeviceEvents: linkDeviceEvents },
  };
}

/** Linking by a code that the owner types into the phone. Each code needs a new initialization, as in the real page. */
function codeLinking(link: Link) {
  let isInitialized = false;
  return {
    getPairingType: () => pairing.type,
    setPairingType: (type: PairingType) => {
      pairing.type = type;
    },
    initializeAltDeviceLinking: async () => {
      isInitialized = true;
    },
    startAltLinkingFlow: async (phone: string, _shouldPush: boolean) => {
      if (!isInitialized) throw new Error('Minified invariant #75727; %s');
      isInitialized = false;
      return link.requestCode(phone);
    },
    initializeQRLinking: async () => {
      isInitialized = false;
      link.cancelCode();
    },
  };
}

const commonWords: Readonly<Record<string, string>> = {
  Close: 'დახურვა',
  Continue: 'გაგრძელება',
  OK: 'OK',
  'GOT IT': 'გასაგებია',
};

/** Words of the page, in the language of the account: here one that few programs know. Throws for others. */
function commonWord(word: string): string {
  const translated = commonWords[word];
  if (translated === undefined) throw new TypeError('e[t] is not a function');
  return translated;
}
