import { type ReadonlySignal, signal } from '@preact/signals';

const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);
document.addEventListener('visibilitychange', () => {
  now.value = Date.now();
});

/** The time in Unix ms, new each second while the page is looked at. */
export const clock: ReadonlySignal<number> = now;
