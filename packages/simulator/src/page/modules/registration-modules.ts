import { decodeB64, encodeB64 } from '../base64.ts';
import type { Page } from '../page.ts';
import { devicePlatform } from '../qr-view.ts';
import type { Modules } from '../registry.ts';

const notSimulated = async () => {
  throw new Error('linking by pairing code is not simulated');
};

/** What the QR is made of. */
export function registrationModules({ link }: Page): Modules {
  const keyPair = (key: Uint8Array) => ({ pubKey: key.slice().buffer });
  return {
    WABase64: { encodeB64, decodeB64 },
    WAWebCompanionRegClientUtils: { DEVICE_PLATFORM: devicePlatform },
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
    WAWebMiscBrowserUtils: { info: () => ({ os: 'Linux', name: 'Chrome', version: '0' }) },
    WAWebAltDeviceLinkingApi: {
      setPairingType: () => undefined,
      initializeAltDeviceLinking: notSimulated,
      startAltLinkingFlow: notSimulated,
      initializeQRLinking: async () => undefined,
    },
  };
}
