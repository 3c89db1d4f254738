/** In characters, as in a request. */
export const MAX_NAME_LENGTH = 255;
export const EXTENSION = /\.([a-z0-9]{1,10})$/i;
