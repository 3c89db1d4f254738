import { computed, type ReadonlySignal, signal } from '@preact/signals';

const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);
document.addEventListener('visibilitychange', () => {
  now.value = Date.now();
});

/** The current time in Unix ms, updated each second while the page is visible. */
export const clock: ReadonlySignal<number> = now;

/** The start of the current day in the local time zone, in Unix ms. */
export const today: ReadonlySignal<number> = computed(() => new Date(now.value).setHours(0, 0, 0, 0));
