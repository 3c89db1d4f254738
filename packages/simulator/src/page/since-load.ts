/** Resolves `ms` after the document's load event. */
export async function sinceLoad(delayMs: number): Promise<void> {
  if (document.readyState !== 'complete') {
    await new Promise((resolve) => window.addEventListener('load', resolve, { once: true }));
  }
  await new Promise((resolve) => setTimeout(resolve, delayMs));
}
