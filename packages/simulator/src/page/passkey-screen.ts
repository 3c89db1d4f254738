import { linkDeviceEvents, passkeyView } from './pairing.ts';
import type { PasskeyLink } from './passkey-link.ts';
import { switches } from './switches.ts';
import type { PasskeyScreenName } from './wire.ts';

/** A code has a dash after this many characters. */
const DASH_AFTER = 4;

/** Covers the page while it is linked with a passkey; its test ids are those of the real page, its texts are not. */
export class PasskeyScreen {
  readonly #link: PasskeyLink;
  readonly #cancelled: () => void;
  readonly #screen = element('div', 'shortcake_passkey_screen');
  #card: HTMLElement = element('div');

  /** `cancelled` is called when the user has cancelled. */
  constructor(link: PasskeyLink, cancelled: () => void) {
    this.#link = link;
    this.#cancelled = cancelled;
    const cancel = button('shortcake_cancel_button', 'Cancel', () => this.#cancel());
    this.#screen.append(this.#card, cancel);
    const on = (name: string, listener: (...args: never[]) => void) =>
      linkDeviceEvents.on(`link_device_events:${name}`, listener);
    on('passkey_prologue_request', () => this.#open());
    on('shortcake_prologue_sent', () => this.#show('waiting_for_phone', waitingCard()));
    on('shortcake_verification_code_ready', (code: string, skip: boolean) => this.#showCode(code, skip));
    on('shortcake_error', () => this.#showError());
  }

  close(): void {
    this.#screen.remove();
    passkeyView.set({ screen: undefined, code: undefined });
  }

  #open(): void {
    if (this.#screen.isConnected) return;
    document.body.append(this.#screen);
    this.#show('passkey_prompt', this.#promptCard());
  }

  #cancel(): void {
    this.#link.cancel();
    this.close();
    this.#cancelled();
  }

  #start(): void {
    this.#show('passkey_pending', promptCard('Continue', undefined));
    this.#link.start().catch(() => this.#showError());
  }

  #showError(): void {
    this.#show('error', this.#promptCard('Something went wrong. Try again.'));
  }

  /** Shows the code, and confirms it automatically if the user need not compare it. */
  #showCode(code: string, isConfirmed: boolean): void {
    const card = codeCard(code);
    const confirm = button('shortcake_code_confirm_button', 'Confirm', () => {
      confirm.disabled = true;
      this.#link.confirm().catch(() => {
        confirm.disabled = false;
      });
    });
    confirm.disabled = isConfirmed;
    card.append(confirm);
    this.#show('code_matching', card, code);
    if (isConfirmed) this.#link.confirm().catch(() => this.#showError());
  }

  #promptCard(problem?: string): HTMLElement {
    return promptCard('Continue', () => this.#start(), problem);
  }

  #show(screen: PasskeyScreenName, card: HTMLElement, code?: string): void {
    if (!this.#screen.isConnected) return;
    this.#card.replaceWith(card);
    this.#card = card;
    passkeyView.set({ screen, code });
  }
}

/** Without `proceed` its button is disabled. */
function promptCard(label: string, proceed: (() => void) | undefined, problem?: string): HTMLElement {
  const card = element('div', 'shortcake_passkey_prompt_card');
  card.append(element('span', '', 'Use your passkey to link this device'));
  if (problem !== undefined) {
    const alert = element('span', '', problem);
    alert.setAttribute('role', 'alert');
    card.append(alert);
  }
  card.append(button('shortcake_passkey_continue_button', label, proceed));
  return card;
}

function waitingCard(): HTMLElement {
  const card = element('div', 'shortcake_waiting_for_phone_card');
  card.append(
    element('span', '', 'Continue on your phone'),
    button('shortcake_waiting_continue_button', 'Continue', undefined),
  );
  return card;
}

function codeCard(code: string): HTMLElement {
  const card = element('div', 'shortcake_code_matching_card');
  const display = element('div', 'shortcake_verification_code_display');
  display.setAttribute('role', 'status');
  display.setAttribute('aria-label', `Code ${[...code].join(' ')}`);
  display.append(...[code.slice(0, DASH_AFTER), '-', code.slice(DASH_AFTER)].map((part) => element('span', '', part)));
  card.append(element('span', '', 'Does your phone show this code?'), display);
  return card;
}

function button(testId: string, label: string, act: (() => void) | undefined): HTMLButtonElement {
  const made = element('button', testId, label);
  made.disabled = act === undefined;
  made.onclick = act ?? null;
  return made;
}

function element<K extends 'div' | 'span' | 'button'>(tag: K, testId = '', text = ''): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (testId && switches.testIds) made.dataset.testid = testId;
  made.textContent = text;
  return made;
}
