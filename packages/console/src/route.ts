import { signal } from '@preact/signals';

/** The view in the address, as the segments after `#/`: `#/sessions/main` is `['sessions', 'main']`. */
export const route = signal<readonly string[]>(read());
addEventListener('hashchange', () => {
  route.value = read();
});

function read(): string[] {
  return location.hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decoded);
}

/** The user may have typed it. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The address of a view. */
export function hrefTo(...segments: string[]): string {
  return `#/${segments.map(encodeURIComponent).join('/')}`;
}

/** Shows another view. */
export function goTo(...segments: string[]): void {
  location.hash = hrefTo(...segments);
}
