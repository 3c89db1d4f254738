/** A link in a text. */
export interface FoundLink {
  readonly href: string;
  readonly value: string;
}

const link = /\b(?:https?:\/\/|www\.)[^\s<>"]+[^\s<>".,;:!?)]/gi;

/** Every web address in a text. */
export function findLinks(text: string | undefined): FoundLink[] {
  return [...(text ?? '').matchAll(link)].map(([value]) => ({
    href: value.toLowerCase().startsWith('http') ? value : `http://${value}`,
    value,
  }));
}

/** The first web address in a text. */
export function findLink(text: string | undefined): FoundLink | undefined {
  return findLinks(text)[0];
}
