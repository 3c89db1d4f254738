import { computed, type ReadonlySignal, signal } from '@preact/signals';

const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);
document.addEventListener('visibilitychange', () => {
  now.value = Date.now();
});

/** The time in Unix ms, new each second while the page is looked at. */
export const clock: ReadonlySignal<number> = now;

/** The beginning of this day for whoever looks, in Unix ms. */
export const today: ReadonlySignal<number> = computed(() => new Date(now.value).setHours(0, 0, 0, 0));
