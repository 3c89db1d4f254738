/** Under which name an id carries its serialised form. */
export interface Spelling {
  msgKey: string;
  wid: string;
}

/** Builds of the real page differ here; set before the first id is made. */
export const spelling: Spelling = { msgKey: '_serialized', wid: '_serialized' };
