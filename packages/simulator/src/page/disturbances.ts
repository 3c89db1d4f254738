import { showDialog } from './dialogs.ts';
import { socket } from './models/conn.ts';
import { messages } from './models/message.ts';
import type { DisturbanceOptions, PageDisturbance } from './wire.ts';

const RESYNC_MS = 150;
const LEAK_INTERVAL_MS = 100;
/** The limit for random bytes in one call. */
const LEAK_PIECE_BYTES = 65_536;
const PIECES_PER_MB = 2 ** 20 / LEAK_PIECE_BYTES;

/** What other parts of the page do for some disturbances. */
export interface PageActions {
  logOut(): void;
  breakModules(): void;
}

type Act<K> = (
  options: K extends keyof DisturbanceOptions ? DisturbanceOptions[K] : unknown,
  actions: PageActions,
) => void;

const acts: { readonly [K in PageDisturbance['kind']]: Act<K> } = {
  reload: () => location.reload(),
  pushState: () => history.pushState(null, '', `/?step=${Date.now()}`),
  iframe: () => {
    const advertisement = document.createElement('iframe');
    advertisement.srcdoc = '<p>An advertisement</p>';
    document.body.append(advertisement);
  },
  sync: () => {
    socket.set({ hasSynced: false });
    setTimeout(() => socket.set({ hasSynced: true }), RESYNC_MS);
  },
  deaf: () => messages.off(),
  broken: (_, { breakModules }) => breakModules(),
  block: ({ ms }) => {
    const end = performance.now() + ms;
    while (performance.now() < end);
  },
  leak: ({ mbPerSecond }) => leak(mbPerSecond),
  grow: ({ mb }) => grown.push(Array.from({ length: Math.round(mb * PIECES_PER_MB) }, randomPiece)),
  dialog: (options, { logOut }) => showDialog(options, logOut),
  state: ({ state }) => socket.set({ state }),
  write: ({ value }) => localStorage.setItem(LAST_WRITE_KEY, value),
};

export function disturb(disturbance: PageDisturbance, actions: PageActions): void {
  (acts[disturbance.kind] as (disturbance: PageDisturbance, actions: PageActions) => void)(disturbance, actions);
}

/** By the clock, not by the count of calls: a browser throttles the timers of a page in the background. */
function leak(mbPerSecond: number): void {
  const kept: Uint8Array[] = [];
  const start = performance.now();
  setInterval(() => {
    const due = ((performance.now() - start) / 1000) * mbPerSecond * PIECES_PER_MB;
    // Random, so that the system can neither share nor compress it.
    while (kept.length < due) kept.push(randomPiece());
  }, LEAK_INTERVAL_MS);
}

const grown: Uint8Array[][] = [];

function randomPiece(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(LEAK_PIECE_BYTES));
}

const LAST_WRITE_KEY = 'lastWrite';

export function readLastWrite(): string | undefined {
  return localStorage.getItem(LAST_WRITE_KEY) ?? undefined;
}
