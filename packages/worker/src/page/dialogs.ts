import type { PageElement, PageWindow } from './window.ts';

declare const window: PageWindow;

/**
 * Closes the dialog "What's new", which appears after linking and every few weeks: while it is open, some sends fail.
 * Runs in every document. While a dialog is open, it checks at the given interval; otherwise only after the document
 * has changed, at most once per interval: an idle page is not woken.
 *
 * Only this dialog is closed. In others, the only button, or Escape, logs the account out ("Connecting to WhatsApp",
 * fatal errors), or takes it over from another window: those are reported with their text.
 */
export function closeDialogs(intervalMs: number, reportAfterMs: number): void {
  // In the language of the account, not of the browser.
  const titles =
    /what.s new|novidades|novedades|nouveaut|quoi de neuf|neuigkeiten|das ist neu|novit|wat is er nieuw|apa yang baru|что нового|नया क्या|yenilikler|co nowego/i;
  const continueButton = '[data-testid="whats_new_continue_button"]';
  const { KeyboardEvent, MutationObserver } = window as unknown as {
    KeyboardEvent: new (type: string, init: object) => object;
    MutationObserver: new (
      callback: () => void,
    ) => { observe(node: object, options: object): void; disconnect(): void };
  };
  const seenAt = new Map<PageElement, number>();
  const attempts = new Map<PageElement, number>();

  const textOf = (element: PageElement) => (element.textContent ?? '').trim().replace(/\s+/g, ' ');
  const isClose = (button: PageElement) =>
    /^(close|fechar|cerrar|fermer|schließen|chiudi|sluiten|tutup|закрыть)$/i.test(
      button.getAttribute('aria-label') ?? '',
    ) || textOf(button) === 'ic-close';
  const isWhatsNew = (dialog: PageElement) => {
    if (dialog.querySelectorAll(continueButton).length > 0) return true;
    const headings = [...dialog.querySelectorAll('h1, h2, [role="heading"], [data-testid="popup-title"]')];
    return headings.some((heading) => titles.test(textOf(heading)));
  };
  /** True once the page itself is loaded: earlier dialogs are about the connection. */
  const isUp = () => {
    const require = window.chatWeb?.require ?? window.require;
    try {
      return (require as (name: string) => { Stream: { mode?: string } })('WAWebStreamModel').Stream.mode === 'MAIN';
    } catch {
      return window.chatWeb?.listening === true;
    }
  };
  const close = (dialog: PageElement) => {
    const attempt = attempts.get(dialog) ?? 0;
    attempts.set(dialog, attempt + 1);
    const buttons = [...dialog.querySelectorAll('button, [role="button"]')];
    const named = dialog.querySelectorAll(continueButton)[0];
    const others = buttons.filter(
      (button) => !isClose(button) && !button.matches('[data-testid="popup-controls-cancel"]'),
    );
    const primary = named ?? (others.length === 1 ? others[0] : undefined);
    const closing = buttons.find(isClose);
    const ways = [primary, closing].filter((button) => button !== undefined);
    const way = ways[attempt % (ways.length + 1)];
    if (way) way.click();
    else dialog.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', keyCode: 27, bubbles: true }));
  };

  const look = () => {
    const dialogs = [...window.document.querySelectorAll('[role="dialog"]')];
    try {
      lookAt(dialogs);
    } finally {
      // Even if the page has replaced a button.
      if (dialogs.length > 0) setTimeout(look, intervalMs);
      else observer.observe(window.document, { subtree: true, childList: true, attributeFilter: ['role'] });
    }
  };
  const lookAt = (dialogs: readonly PageElement[]) => {
    for (const known of seenAt.keys()) {
      if (dialogs.includes(known)) continue;
      seenAt.delete(known);
      attempts.delete(known);
    }
    const left: string[] = [];
    for (const dialog of dialogs) {
      const since = seenAt.get(dialog) ?? Date.now();
      seenAt.set(dialog, since);
      if (isWhatsNew(dialog) && isUp()) close(dialog);
      if (Date.now() - since < reportAfterMs) continue;
      const labels = [...dialog.querySelectorAll('button, [role="button"]')].map(textOf).slice(0, 5);
      left.push(`${textOf(dialog).slice(0, 160)} [${labels.join(', ').slice(0, 80)}]`);
    }
    if (window.chatWeb) window.chatWeb.dialogs = left.slice(0, 3);
  };
  const observer = new MutationObserver(() => {
    observer.disconnect(); // A busy page changes a thousand times a second.
    setTimeout(look, intervalMs);
  });
  look();
}
