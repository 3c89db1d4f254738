import { stream } from './models/socket.ts';
import { switches } from './switches.ts';

/** What the real page takes as a sign of its user. */
const names = ['mousemove', 'scroll', 'keydown', 'focus', 'resize'] as const;

/** Shows whether the page's user is active, once the page is ready: not in a browser without any input. */
export function followUser(show: (available: boolean) => void): void {
  stream.once('change:mode', () => {
    stream.on('change:available', (_: unknown, available: boolean) => show(available));
    if (document.hasFocus() && document.visibilityState !== 'hidden') stream.markAvailable();
    void watchForIdleness();
  });
}

async function watchForIdleness(): Promise<never> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, switches.idleMs));
    stream.markUnavailable(switches.awayMs);
    await nextSign();
    if (document.hasFocus()) stream.markAvailable();
  }
}

function nextSign(): Promise<unknown> {
  const listening = new AbortController();
  const signs = names.map((name) => new Promise((resolve) => window.addEventListener(name, resolve, listening)));
  return Promise.race(signs).finally(() => listening.abort());
}
