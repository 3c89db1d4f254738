import { encodeB64 } from './base64.ts';
import { clear, readAll, write } from './database.ts';
import { dropDeviceCookie, keepDeviceCookie } from './device-cookie.ts';

/** The identity of a page: its keys, and its link to an account once it has one. */
export interface Credentials {
  readonly noiseKey: Uint8Array;
  readonly identityKey: Uint8Array;
  readonly advSecret: string;
  readonly device?: { readonly id: string; readonly secret: string };
}

/** The ones in the profile, or new ones, which are stored there. */
export async function loadCredentials(): Promise<Credentials> {
  const [stored] = await readAll<Credentials>('link');
  if (stored) return stored;
  const fresh = { noiseKey: randomBytes(), identityKey: randomBytes(), advSecret: encodeB64(randomBytes()) };
  await saveCredentials(fresh);
  return fresh;
}

export async function saveCredentials(credentials: Credentials): Promise<void> {
  await write('link', 'credentials', credentials);
  if (credentials.device) await keepDeviceCookie(credentials.device.id);
}

/** Removes keys, link and unsent messages: the next page starts without them. */
export async function clearCredentials(): Promise<void> {
  await clear('link');
  await clear('outbox');
  await clear('keys');
  await dropDeviceCookie();
}

function randomBytes(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32));
}
