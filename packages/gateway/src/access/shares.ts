/** How many of something there may be, of all keys together, and of each key: the rest is for the operator. */
export interface Shares {
  readonly all: number;
  readonly ofKeys: number;
  readonly perKey: number;
}

/**
 * The limit that one more would exceed, and whose it is; undefined if none. `taken`: the key of each that there is;
 * undefined for the operator.
 */
export function exceededShare(
  { all, ofKeys, perKey }: Shares,
  taken: readonly (string | undefined)[],
  keyId: string | undefined,
): { readonly max: number; readonly whose: string } | undefined {
  if (keyId !== undefined && taken.filter((one) => one === keyId).length >= perKey)
    return { max: perKey, whose: ' with this key' };
  if (keyId !== undefined && taken.filter((one) => one !== undefined).length >= ofKeys)
    return { max: ofKeys, whose: ' with keys' };
  return taken.length >= all ? { max: all, whose: '' } : undefined;
}
