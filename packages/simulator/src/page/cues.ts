import { showDialogue } from './dialogues.ts';
import { writeLast } from './last-write.ts';
import { messages } from './models/message.ts';
import { socket } from './models/socket.ts';
import type { StageCue } from './wire.ts';

const resyncMs = 150;
const leakIntervalMs = 100;
/** The limit for random bytes in one call. */
const leakPieceBytes = 65_536;
const piecesPerMb = 2 ** 20 / leakPieceBytes;

/** The actions of some cues that other parts of the page perform. */
export interface CueActions {
  logOut(): void;
  breakModules(): void;
}

/** Performs a cue of a test in this page. */
export function play(cue: StageCue, { logOut, breakModules }: CueActions): void {
  switch (cue.kind) {
    case 'reload':
      location.reload();
      break;
    case 'pushState':
      history.pushState(null, '', `/?step=${Date.now()}`);
      break;
    case 'iframe':
      showAdvertisement();
      break;
    case 'sync':
      socket.set({ hasSynced: false });
      setTimeout(() => socket.set({ hasSynced: true }), resyncMs);
      break;
    case 'deaf':
      messages.off();
      break;
    case 'broken':
      breakModules();
      break;
    case 'block':
      block(cue.ms);
      break;
    case 'leak':
      leak(cue.mbPerSecond);
      break;
    case 'grow':
      grow(cue.mb);
      break;
    case 'dialogue':
      showDialogue(cue.which, logOut);
      break;
    case 'state':
      socket.set({ state: cue.state });
      break;
    case 'write':
      writeLast(cue.value);
      break;
  }
}

function showAdvertisement(): void {
  const frame = document.createElement('iframe');
  frame.srcdoc = '<p>An advertisement</p>';
  document.body.append(frame);
}

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** By the clock, not by the count of calls: a browser throttles the timers of a page in the background. */
function leak(mbPerSecond: number): void {
  const kept: Uint8Array[] = [];
  const start = performance.now();
  setInterval(() => {
    const due = ((performance.now() - start) / 1000) * mbPerSecond * piecesPerMb;
    // Random, so that the system can neither share nor compress it.
    while (kept.length < due) kept.push(randomPiece());
  }, leakIntervalMs);
}

const grown: Uint8Array[][] = [];

function grow(mb: number): void {
  grown.push(Array.from({ length: Math.round(mb * piecesPerMb) }, randomPiece));
}

function randomPiece(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(leakPieceBytes));
}
