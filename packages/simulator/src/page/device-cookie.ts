const name = 'device';
const lifetimeMs = 400 * 86_400_000;
/** Chromium keeps cookies in memory for half a minute, unless this many changes have accumulated. */
const changesUntilWritten = 512;

/** Identifies the linked device to the server, already with the request for the document. */
export async function keepDeviceCookie(deviceId: string): Promise<void> {
  await keep(name, deviceId);
  // A browser that is killed right after must not lose it.
  await Promise.all(Array.from({ length: changesUntilWritten }, (_, index) => keep('filler', String(index))));
}

/** The device is not linked any more. */
export async function dropDeviceCookie(): Promise<void> {
  await cookieStore.delete(name);
}

async function keep(cookie: string, value: string): Promise<void> {
  await cookieStore.set({ name: cookie, value, expires: Date.now() + lifetimeMs });
}
