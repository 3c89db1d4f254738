import { switches } from './switches.ts';
import type { DialogKind, DialogOptions } from './wire.ts';

/** The dialog for a newly linked device. Its buttons and Escape all close it; until then it opens at every load. */
export function showOnboarding(answered: () => void): void {
  const dialog = element('div', { role: 'dialog', 'aria-modal': 'true' });
  const answer = () => {
    window.removeEventListener('keydown', onKey, true);
    dialog.remove();
    answered();
  };
  const onKey = (event: KeyboardEvent) => {
    // The real page checks `code`, which a scripted event only has if it is set.
    if (event.keyCode === 27) answer();
  };
  dialog.append(...(switches.whatsNew === 'one-button' ? plain(answer) : withClose(answer)));
  window.addEventListener('keydown', onKey, true);
  document.body.append(dialog);
}

/** One button, without a name that a program could rely on. */
function plain(answer: () => void): HTMLElement[] {
  return [element('h1', {}, "What's new on WhatsApp Web"), button('Continue', {}, answer)];
}

/** Since 2026: a close button in the heading, whose text is the name of an icon, and the button below. */
function withClose(answer: () => void): HTMLElement[] {
  const heading = element('h1', { 'data-testid': 'popup-title' });
  heading.append(
    element('span', {}, 'wds-picto-whatsapp-outline'),
    element('span', {}, 'What’s new on WhatsApp Web'),
    button('ic-close', { 'aria-label': 'Close' }, answer),
  );
  const contents = element('div', { 'data-testid': 'popup-contents' });
  contents.append(
    element('div', {}, 'A feature that is new'),
    button('Continue', { 'data-testid': 'whats_new_continue_button' }, answer),
  );
  const popup = element('div', { 'data-testid': 'confirm-popup', 'data-animate-modal-popup': 'true' });
  popup.append(heading, contents);
  return [popup];
}

/** The texts of the dialogs that a test can open. */
const texts: Readonly<Record<Exclude<DialogKind, 'titled'>, string>> = {
  'log-out': 'Connecting to WhatsApp. Make sure your computer has an active internet connection.',
  refresh: 'WhatsApp will refresh in 1 min',
  stuck: 'Your storage is full',
};

/** Opens one of them; `logOut` unlinks the device. */
export function showDialog(options: DialogOptions, logOut: () => void): void {
  const { which: kind } = options;
  const dialog = element('div', { role: 'dialog', 'aria-modal': 'true' });
  document.body.append(dialog);
  if (kind === 'titled') {
    dialog.append(...titled(options, () => dialog.remove(), logOut));
    const { unlinkAfterMs } = options;
    if (unlinkAfterMs !== undefined) setTimeout(() => dialog.isConnected && logOut(), unlinkAfterMs);
    return;
  }
  const add = (label: string, testId: string, act: () => void) =>
    dialog.append(button(label, { 'data-testid': testId }, act));
  dialog.append(element('p', {}, texts[kind]));
  if (kind === 'log-out') {
    add('Log out', 'popup-controls-cancel', logOut);
    // Not `once`: a second click counts too.
    window.addEventListener('keydown', ({ keyCode }) => keyCode === 27 && dialog.isConnected && logOut(), true);
  } else if (kind === 'refresh') {
    add('OK', 'popup-controls-ok', () => dialog.remove());
    add('Refresh now', 'popup-controls-refresh', () => location.reload());
  } else add('OK', 'popup-controls-ok', () => undefined);
}

function titled({ title = '', buttons = [], logOut }: DialogOptions, close: () => void, onLogOut: () => void) {
  return [element('h1', {}, title), ...buttons.map((name) => button(name, {}, name === logOut ? onLogOut : close))];
}

function button(label: string, attributes: Readonly<Record<string, string>>, act: () => void): HTMLElement {
  const made = element('button', attributes, label);
  made.onclick = act;
  return made;
}

function element(tag: string, attributes: Readonly<Record<string, string>>, text = ''): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (switches.testIds || name !== 'data-testid') made.setAttribute(name, value);
  made.textContent = text;
  return made;
}
