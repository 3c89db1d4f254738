// The library has no types of its own.

declare module 'mime-types' {
  /** By the extension of a path, or by one alone. */
  export function lookup(path: string): string | false;
  export function extension(type: string): string | false;
}
