/** Bytes as base64, as in the QR. */
export function encodeB64(bytes: ArrayBuffer | Uint8Array): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}

/** The same in the URL-safe alphabet, without padding. */
export function encodeB64Url(bytes: ArrayBuffer | Uint8Array): string {
  return encodeB64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The bytes of a text in the URL-safe alphabet. */
export function decodeB64Url(text: string): ArrayBuffer {
  return decodeB64(text.replaceAll('-', '+').replaceAll('_', '/'));
}

/** The bytes of a base64 text. */
export function decodeB64(text: string): ArrayBuffer {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer;
}
