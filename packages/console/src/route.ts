import { signal } from '@preact/signals';

/** The view in the address, as the segments after `#/`: `#/sessions/main` is `['sessions', 'main']`. */
export const route = signal<readonly string[]>(currentRoute());
addEventListener('hashchange', () => {
  route.value = currentRoute();
});

function currentRoute(): string[] {
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

export function hrefTo(...segments: string[]): string {
  return `#/${segments.map(encodeURIComponent).join('/')}`;
}

export function goTo(...segments: string[]): void {
  location.hash = hrefTo(...segments);
}
