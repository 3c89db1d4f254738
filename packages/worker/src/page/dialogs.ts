import { type PageWords, waysToClose } from './dialog-words.ts';
import type { PageSignal } from './models.ts';
import { ownRequire } from './modules.ts';
import { setUp } from './set-up.ts';

/** Dialogs that have been open for long. */
let reported: readonly string[] = [];

/** The texts of open dialogs. */
export function openDialogs(): readonly string[] {
  return reported;
}

/**
 * Closes the dialog "What's new", which appears after linking and every few weeks: while it is open, some sends fail,
 * and an account whose new device does not answer it is unlinked. Runs in every document. While a dialog is open, it
 * checks at the given interval; otherwise only after the document has changed, at most once per interval: an idle page
 * is not woken. A dialog that stays open is reported with its text.
 */
export function closeDialogs(intervalMs: number, reportAfterMs: number): void {
  const seenAt = new Map<HTMLElement, number>();
  const attempts = new Map<HTMLElement, number>();
  let signalled = '[]';

  const textOf = (element: Element) => (element.textContent ?? '').trim().replace(/\s+/g, ' ');
  const buttonsOf = (dialog: HTMLElement) => [...dialog.querySelectorAll<HTMLElement>('button, [role="button"]')];
  /** The texts of an element, of which each icon has its own. */
  const partsOf = (element: Element) => {
    const walk = window.document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const parts: string[] = [];
    while (walk.nextNode()) parts.push(walk.currentNode.textContent ?? '');
    return parts;
  };
  const readButton = (element: HTMLElement) => {
    const icons = [...element.querySelectorAll('[data-icon]')].map((icon) => icon.getAttribute('data-icon') ?? '');
    const labels = [element.getAttribute('aria-label') ?? '', textOf(element), ...icons];
    return {
      element,
      labels: labels.filter((label) => label !== ''),
      closesNews: element.matches('[data-testid="whats_new_continue_button"]'),
    };
  };
  const read = (dialog: HTMLElement) => ({
    headings: [...dialog.querySelectorAll('h1, h2, [role="heading"], [data-testid="popup-title"]')].map(partsOf),
    text: partsOf(dialog).join(' '),
    buttons: buttonsOf(dialog).map(readButton),
  });
  /** True once the page itself is loaded: earlier dialogs are about the connection. */
  const isUp = () => {
    try {
      return (ownRequire()('WAWebStreamModel') as { Stream: { mode?: string } }).Stream.mode === 'MAIN';
    } catch {
      return setUp.listening;
    }
  };
  /** Nothing where the page has no such words, or not yet. */
  const pageWords = (): PageWords => {
    const inLanguage = (word: string) => {
      try {
        return [String((ownRequire()('WAWebFbtCommon') as { default(name: string): unknown }).default(word))];
      } catch {
        return [];
      }
    };
    return { close: inLanguage('Close'), goOn: ['Continue', 'OK', 'GOT IT'].flatMap(inLanguage) };
  };
  const close = (dialog: HTMLElement) => {
    const ways = waysToClose(read(dialog), pageWords());
    const attempt = attempts.get(dialog) ?? 0;
    attempts.set(dialog, attempt + 1);
    const way = ways[attempt % ways.length];
    if (way === 'escape')
      dialog.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', keyCode: 27, bubbles: true }));
    else way?.element.click();
  };

  const look = () => {
    const dialogs = [...window.document.querySelectorAll<HTMLElement>('[role="dialog"]')];
    try {
      lookAt(dialogs);
    } finally {
      signalChange();
      // Even if the page has replaced a button.
      if (dialogs.length > 0) setTimeout(look, intervalMs);
      else observer.observe(window.document, { subtree: true, childList: true, attributeFilter: ['role'] });
    }
  };
  const lookAt = (dialogs: readonly HTMLElement[]) => {
    for (const known of seenAt.keys()) {
      if (dialogs.includes(known)) continue;
      seenAt.delete(known);
      attempts.delete(known);
    }
    const left: string[] = [];
    for (const dialog of dialogs) {
      const since = seenAt.get(dialog) ?? Date.now();
      seenAt.set(dialog, since);
      if (isUp()) close(dialog);
      if (Date.now() - since < reportAfterMs) continue;
      const labels = buttonsOf(dialog).map(textOf).slice(0, 5);
      left.push(`${textOf(dialog).slice(0, 160)} [${labels.join(', ').slice(0, 80)}]`);
    }
    reported = left.slice(0, 3);
  };
  /** Has the state of the page read now, and not at the next regular probe. */
  const signalChange = () => {
    const texts = JSON.stringify(reported).replace(/\d+/g, '0');
    const send = window.chatWebSignal as ((json: string) => void) | undefined;
    if (texts === signalled || !send) return; // The worker does not listen yet.
    send(JSON.stringify({ is: 'dialogs' } satisfies PageSignal));
    signalled = texts;
  };
  const observer = new MutationObserver(() => {
    observer.disconnect(); // A busy page changes a thousand times a second.
    setTimeout(look, intervalMs);
  });
  look();
}
