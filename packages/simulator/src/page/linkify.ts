export interface FoundLink {
  readonly href: string;
  /** As it is written. */
  readonly url: string;
  /** Written with http:// or https://. */
  readonly isHttp: boolean;
}

const link =
  /(?<![\w/.@])(https?:\/\/|mailto:)?([\w.+-]+@)?(?:[\w-]+\.)+[a-z]{2,}(?::\d{1,5})?(?:[/?#](?:[^\s<>"]*[^\s<>".,;:!?)])?)?/gi;

/** Every link in a text, including e-mail addresses and bare domains; with `httpOnly` only web addresses. */
export function findLinks(text: string | undefined, httpOnly = false): FoundLink[] {
  const found = [...(text ?? '').matchAll(link)].map(([url, scheme, user]) => ({
    href: scheme ? url : `${user ? 'mailto:' : 'http://'}${url}`,
    url,
    isHttp: scheme?.toLowerCase().startsWith('http') === true,
  }));
  return found.filter(({ isHttp }) => isHttp || !httpOnly);
}

/** The first of them. */
export function findLink(text: string | undefined, httpOnly = false): FoundLink | undefined {
  return findLinks(text, httpOnly)[0];
}
