/** The bytes of `sha256=<hex>`; undefined if the header is absent, malformed, repeated or of another algorithm. */
export function signatureIn(header: string | null): Uint8Array<ArrayBuffer> | undefined {
  const [, hex] = /^sha256=([0-9a-fA-F]{64})$/.exec(header ?? '') ?? [];
  if (hex === undefined) return undefined;
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
