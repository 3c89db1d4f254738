import type { PageModules } from './contract/index.ts';
import { holds } from './delay.ts';
import { refreshQr } from './linking.ts';
import { optional, wrapExport } from './tools/identities.ts';

type Encode = PageModules['encodeProtobuf']['encodeProtobuf'];

let encode: Encode | undefined;
let name: string | undefined;
/** The page has registered with the name. */
let hasRegistered = false;
/** The page connects again, for the name. */
let isConnecting = false;

const encodeNamed: Encode = (spec, value, ...more) => {
  const isDevice = spec.name === 'DeviceProps';
  if (isDevice) hasRegistered = true;
  return encode?.(spec, isDevice ? { ...value, os: name } : value, ...more);
};

/**
 * From now on, the page registers with this name when it connects without a link; one that has done so before connects
 * again, which takes a moment. False if this build does not take a name. Only what the page registers is changed: not
 * how it presents itself elsewhere, such as in a request for a pairing code, which the network checks.
 */
export async function nameDevice(wanted: string, timeoutMs: number): Promise<boolean> {
  name = wanted;
  const isWrapped = wrapExport(optional('encodeProtobuf'), 'encodeProtobuf', encodeNamed, (own) => {
    encode = own;
  });
  if (!isWrapped) return false;
  const { Socket } = window.require('WAWebSocketModel');
  const connectAgain = () => {
    if (hasRegistered || isConnecting || !Socket.state?.startsWith('UNPAIRED')) return;
    isConnecting = true;
    try {
      refreshQr(0, 0);
    } catch {
      // This build connects again by itself, when its QR has expired.
    }
  };
  Socket.on('change:state', connectAgain);
  connectAgain();
  if (isConnecting) await holds(() => hasRegistered, timeoutMs);
  return true;
}
