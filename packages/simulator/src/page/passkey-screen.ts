import { decodeB64 } from './base64.ts';

/** What the network wants signed. */
export interface PasskeyRequest {
  /** Base64. */
  readonly challenge: string;
  readonly timeoutMs: number;
}

/**
 * Covers the page with the passkey screen. Its button requests the passkey from the browser, again after a failure.
 * `signed` is called once the browser has returned a credential.
 */
export function showPasskeyScreen(request: PasskeyRequest, signed: () => void, cancelled: () => void): void {
  const screen = element('div', 'shortcake_passkey_screen');
  const card = element('div', 'shortcake_passkey_prompt_card');
  const alert = element('span', '');
  alert.setAttribute('role', 'alert');
  const proceed = element('button', 'shortcake_passkey_continue_button', 'Continue');
  const cancel = element('button', 'shortcake_cancel_button', 'Cancel');
  proceed.onclick = () => {
    alert.textContent = '';
    askBrowser(request).then(
      () => {
        screen.remove();
        signed();
      },
      () => {
        alert.textContent = 'Something went wrong. Try again.';
      },
    );
  };
  cancel.onclick = () => {
    screen.remove();
    cancelled();
  };
  card.append(element('span', '', 'Use your passkey to link this device'), alert, proceed);
  screen.append(card, cancel);
  document.body.append(screen);
}

async function askBrowser({ challenge, timeoutMs }: PasskeyRequest): Promise<void> {
  const publicKey = {
    challenge: decodeB64(challenge),
    rpId: 'whatsapp.com',
    userVerification: 'required' as const,
    timeout: timeoutMs,
  };
  const credential = await navigator.credentials.get({ publicKey });
  if (credential?.type !== 'public-key') throw new Error('WebAuthn ceremony returned no credential');
}

function element(tag: string, testId: string, text = ''): HTMLElement {
  const made = document.createElement(tag);
  if (testId) made.dataset.testid = testId;
  made.textContent = text;
  return made;
}
