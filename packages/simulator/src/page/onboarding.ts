/**
 * The dialogue that greets a newly linked device. As on the real page it has one button, no name that a program could
 * rely on, and comes a moment after the page is ready.
 */
export function showOnboarding(answered: () => void): void {
  const dialogue = document.createElement('div');
  dialogue.setAttribute('role', 'dialog');
  const title = document.createElement('h1');
  title.textContent = "What's new on WhatsApp Web";
  const button = document.createElement('button');
  button.textContent = 'Continue';
  button.onclick = () => {
    dialogue.remove();
    answered();
  };
  dialogue.append(title, button);
  document.body.append(dialogue);
}
