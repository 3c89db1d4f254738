import { ownRequire } from './modules.ts';
import { setUp } from './set-up.ts';

/** Dialogs that have been open for long. */
let reported: readonly string[] = [];

/** The texts of open dialogs. */
export function openDialogs(): readonly string[] {
  return reported;
}

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
  const seenAt = new Map<HTMLElement, number>();
  const attempts = new Map<HTMLElement, number>();

  const textOf = (element: Element) => (element.textContent ?? '').trim().replace(/\s+/g, ' ');
  const isClose = (button: HTMLElement) =>
    /^(close|fechar|cerrar|fermer|schließen|chiudi|sluiten|tutup|закрыть)$/i.test(
      button.getAttribute('aria-label') ?? '',
    ) || textOf(button) === 'ic-close';
  const isWhatsNew = (dialog: HTMLElement) => {
    if (dialog.querySelectorAll(continueButton).length > 0) return true;
    const headings = [...dialog.querySelectorAll('h1, h2, [role="heading"], [data-testid="popup-title"]')];
    return headings.some((heading) => titles.test(textOf(heading)));
  };
  /** True once the page itself is loaded: earlier dialogs are about the connection. */
  const isUp = () => {
    try {
      return (ownRequire()('WAWebStreamModel') as { Stream: { mode?: string } }).Stream.mode === 'MAIN';
    } catch {
      return setUp.listening;
    }
  };
  const close = (dialog: HTMLElement) => {
    const attempt = attempts.get(dialog) ?? 0;
    attempts.set(dialog, attempt + 1);
    const buttons = [...dialog.querySelectorAll<HTMLElement>('button, [role="button"]')];
    const named = dialog.querySelector<HTMLElement>(continueButton);
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
    const dialogs = [...window.document.querySelectorAll<HTMLElement>('[role="dialog"]')];
    try {
      lookAt(dialogs);
    } finally {
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
      if (isWhatsNew(dialog) && isUp()) close(dialog);
      if (Date.now() - since < reportAfterMs) continue;
      const labels = [...dialog.querySelectorAll<HTMLElement>('button, [role="button"]')].map(textOf).slice(0, 5);
      left.push(`${textOf(dialog).slice(0, 160)} [${labels.join(', ').slice(0, 80)}]`);
    }
    reported = left.slice(0, 3);
  };
  const observer = new MutationObserver(() => {
    observer.disconnect(); // A busy page changes a thousand times a second.
    setTimeout(look, intervalMs);
  });
  look();
}
