import { encodeB64 } from './base64.ts';
import { clear, readAll, write } from './database.ts';

const COOKIE_NAME = 'device';
const COOKIE_LIFETIME_MS = 400 * 86_400_000;
/** Chromium keeps cookies in memory for half a minute, unless this many changes have accumulated. */
const CHANGES_UNTIL_WRITTEN = 512;

/** Identifies the linked device to the server, already with the request for the document. */
async function keepDeviceCookie(deviceId: string): Promise<void> {
  await keep(COOKIE_NAME, deviceId);
  // A browser that is killed right after must not lose it.
  await Promise.all(Array.from({ length: CHANGES_UNTIL_WRITTEN }, (_, index) => keep('filler', String(index))));
}

/** The device is no longer linked. */
async function dropDeviceCookie(): Promise<void> {
  await cookieStore.delete(COOKIE_NAME);
}

async function keep(cookie: string, value: string): Promise<void> {
  await cookieStore.set({ name: cookie, value, expires: Date.now() + COOKIE_LIFETIME_MS });
}

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
