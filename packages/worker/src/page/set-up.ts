/** How far the set-up of this document has come. */
export const setUp: { readonly document: string; injected: boolean; listening: boolean } = {
  document: `${Date.now()}-${Math.random()}`,
  injected: false,
  listening: false,
};

/** Marks a step as done, unless the page has been loaded again since. `document`: of the state that was read before. */
export function mark(document: string, step: 'injected' | 'listening'): void {
  if (setUp.document === document) setUp[step] = true;
}
