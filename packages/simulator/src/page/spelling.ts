/** The name of the property with an id's serialised form. */
export interface Spelling {
  msgKey: string;
  wid: string;
}

/** Builds of the real page differ here; set before the first id is created. */
export const spelling: Spelling = { msgKey: '_serialized', wid: '_serialized' };
