/** Dialogues that a test can open: each is one that a program must not close without care. */
export type DialogueKind =
  /** Its only button logs the device out, and so does Escape. */
  | 'log-out'
  /** A choice between two harmless buttons; Escape does nothing. */
  | 'refresh'
  /** It cannot be closed. */
  | 'stuck';

const texts: Readonly<Record<DialogueKind, string>> = {
  'log-out': 'Connecting to WhatsApp. Make sure your computer has an active internet connection.',
  refresh: 'WhatsApp will refresh in 1 min',
  stuck: 'Your storage is full',
};

/** Shows one; `logOut` unlinks the device. */
export function showDialogue(kind: DialogueKind, logOut: () => void): void {
  const dialogue = document.createElement('div');
  dialogue.setAttribute('role', 'dialog');
  dialogue.setAttribute('aria-modal', 'true');
  const text = document.createElement('p');
  text.textContent = texts[kind];
  dialogue.append(text);
  const close = () => dialogue.remove();
  const add = (label: string, testId: string, act: () => void) => {
    const button = document.createElement('button');
    button.textContent = label;
    button.dataset.testid = testId;
    button.onclick = act;
    dialogue.append(button);
  };
  if (kind === 'log-out') {
    add('Log out', 'popup-controls-cancel', logOut);
    // Not `once`: a second click counts too.
    window.addEventListener('keydown', ({ keyCode }) => keyCode === 27 && dialogue.isConnected && logOut(), true);
  } else if (kind === 'refresh') {
    add('OK', 'popup-controls-ok', close);
    add('Refresh now', 'popup-controls-refresh', () => location.reload());
  } else add('OK', 'popup-controls-ok', () => undefined);
  document.body.append(dialogue);
}
