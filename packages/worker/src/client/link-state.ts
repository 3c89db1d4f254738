import type { PairingCode, PasskeyStep, SessionInfo, WorkerEvent, WorkerFailure } from '@chat-web/protocol';
import type { LinkScreen } from '../page/linking.ts';

/**
 * The account of a session, as far as its page shows it.
 *
 * - `starting`: the page loads; its account may be linked or not.
 * - `linking`: the page can be linked, by a QR, a pairing code or a passkey.
 * - `syncing`: the account is linked, and the page loads it.
 * - `ready`: the network is connected, and the listeners are attached: messages are sent and received.
 * - `offline`: it was ready, and the page has lost the network, or was reloaded.
 * - `gone`: unlinked, failed, or being stopped. Nothing is reported any more.
 */
export interface LinkState {
  readonly phase: 'starting' | 'linking' | 'syncing' | 'ready' | 'offline' | 'gone';
  /** The page's socket state; empty until it is known. */
  readonly socket: string;
  /** The socket state of the last `connection_lost`. */
  readonly lostSocket: string;
  readonly isConnected: boolean;
  readonly isListening: boolean;
  /** The text of the current QR; empty if there is none. */
  readonly qr: string;
  /** The last QR that arrived while the page was being linked in another way. `at`: Unix ms. */
  readonly heldQr: { readonly text: string; readonly at: number } | undefined;
  /** How often a QR was requested since the last one. */
  readonly qrRequests: number;
  /** A pairing code is requested, or can be typed: the QR of the page is invalid. */
  readonly hasCode: boolean;
  /** The step that the page waits for to link an account with a passkey: its QR must not be used. */
  readonly passkey: PasskeyStep | undefined;
  /** When the account was linked in this run, in Unix ms; 0 if it was linked before. */
  readonly linkedAt: number;
  readonly hasReportedNumber: boolean;
}

/** What can happen to a link. Events may be repeated, and come in any order. */
export type LinkEvent =
  | { readonly name: 'qr'; readonly text: string }
  /** `image`: a data URL. */
  | { readonly name: 'qr_rendered'; readonly text: string; readonly image: string }
  /** The last QR must have expired, or none has arrived in time. */
  | { readonly name: 'qr_due' }
  /** The page's socket state, reported or polled. */
  | { readonly name: 'socket'; readonly state: string }
  /** The link screen, polled. */
  | ({ readonly name: 'screen' } & LinkScreen)
  /** A code is requested from the page, whose QR is void. */
  | { readonly name: 'code_requested' }
  | { readonly name: 'code'; readonly number: string; readonly code: PairingCode }
  /** There is no code any more. */
  | { readonly name: 'code_ended' }
  /** The page was asked to return to its QR, and may have done so. */
  | { readonly name: 'back_to_qr' }
  /** The start has made progress. */
  | { readonly name: 'progress' }
  /** Everything is injected, and the listeners are attached. */
  | { readonly name: 'listening' }
  /** The page was reloaded, and reports nothing until it is injected. */
  | { readonly name: 'reloaded' }
  /** `isExpected`: as the effect that read it. */
  | { readonly name: 'account'; readonly info: SessionInfo; readonly isExpected: boolean }
  /** Although the page was connected and listened to. */
  | { readonly name: 'account_unreadable'; readonly detail: string }
  | { readonly name: 'unlinked' }
  /** The page or its browser is unusable. */
  | { readonly name: 'failed'; readonly reason: WorkerFailure; readonly detail?: string | undefined }
  | { readonly name: 'stopped' };

/** What to do next, in order. */
export type LinkEffect =
  | { readonly type: 'report'; readonly event: WorkerEvent }
  /** The result is the event `qr_rendered`. */
  | { readonly type: 'render_qr'; readonly text: string }
  /** Requests a new QR from the page. */
  | { readonly type: 'request_qr' }
  /** Sets the timer of `qr_due`, in milliseconds; none clears it. */
  | { readonly type: 'set_qr_timer'; readonly ms?: number }
  /** Of pairing by code. `forget_code`: without a call to the page. */
  | { readonly type: 'forget_code' | 'renew_code' | 'end_code' }
  /** The result is the event `account`; or, if the account `isExpected`, `account_unreadable`. */
  | { readonly type: 'read_account'; readonly isExpected: boolean }
  /** Messages until now are history: the account was linked after them. */
  | { readonly type: 'discard_history' }
  /** Holds live messages back, until the missed ones are delivered. */
  | { readonly type: 'pause' }
  | { readonly type: 'became_ready' }
  /** Ends all timers and polls. */
  | { readonly type: 'close' };

interface Transition {
  readonly state: LinkState;
  readonly effects: readonly LinkEffect[];
}

/** Socket states before the account is linked: not a lost connection. */
const UNPAIRED = new Set(['UNPAIRED', 'UNPAIRED_IDLE', 'UNLAUNCHED']);
/** Socket states in which the network refuses this account or this address; a retry makes it worse. */
const RESTRICTIONS: Readonly<Record<string, string>> = {
  TOS_BLOCK: 'TOS_BLOCK, check the phone for what the network requires',
  SMB_TOS_BLOCK: 'SMB_TOS_BLOCK, check the phone for what the network requires',
  PROXYBLOCK: 'PROXYBLOCK, the network refuses the address of this host, or of the proxy',
};
/** The page's first QR is valid for a minute, later ones for 20 s. One that is older than this has expired. */
const QR_AGE_MS = 57_000;
const QR_ANSWER_MS = 15_000;
const MAX_QR_REQUESTS = 3;
/** How old a QR may be that arrived before the end of another way to link was noticed. */
const HELD_QR_MS = 5_000;
/** How long the page may take to link once the passkey was answered: requesting a QR meanwhile could abort it. */
const LINK_BY_PASSKEY_MS = 60_000;

/** A link whose page is not loaded yet. */
export const NEW_LINK: LinkState = {
  phase: 'starting',
  socket: '',
  lostSocket: '',
  isConnected: false,
  isListening: false,
  qr: '',
  heldQr: undefined,
  qrRequests: 0,
  hasCode: false,
  passkey: undefined,
  linkedAt: 0,
  hasReportedNumber: false,
};

/** True while the account is linked and its page usable: a stop must save the browser's profile. */
export function isLinked({ phase }: LinkState): boolean {
  return phase === 'syncing' || phase === 'ready' || phase === 'offline';
}

/** True while the page may be being linked, as far as known. */
export function isLinking({ phase, socket, linkedAt }: LinkState): boolean {
  if (phase === 'starting') return UNPAIRED.has(socket);
  return phase === 'linking' || (phase === 'syncing' && linkedAt > 0);
}

/** True while the page shows a QR, or may show one. */
export function awaitsQr({ socket }: LinkState): boolean {
  return socket === '' || socket.startsWith('UNPAIRED');
}

/** The next state of a link, and what follows from an event. `now`: Unix ms. */
export function next(state: LinkState, event: LinkEvent, now: number): Transition {
  if (state.phase === 'gone') return to(state);
  switch (event.name) {
    case 'qr':
      return then(to({ ...state, qrRequests: 0 }, { type: 'set_qr_timer', ms: QR_AGE_MS }), (changed) =>
        holdsQr(changed) ? to({ ...changed, heldQr: { text: event.text, at: now } }) : onQr(changed, event.text),
      );
    case 'qr_rendered':
      if (state.phase !== 'linking' || state.qr !== event.text) return to(state);
      return to(state, report({ name: 'qr', qr: event.image }));
    case 'qr_due':
      return onQrDue(state);
    case 'socket':
      return onSocket(state, event.state, now);
    case 'screen':
      return isLinking(state) ? onScreen(state, event, now) : to(state);
    case 'code_requested':
      return withoutQr({ ...state, hasCode: true });
    case 'code':
      if (state.phase !== 'starting' && state.phase !== 'linking') return to(state);
      return to(
        { ...state, phase: 'linking', qr: '' },
        report({ name: 'pairing_code', number: event.number, ...event.code }),
      );
    case 'code_ended':
      return withoutQr({ ...state, hasCode: false });
    case 'back_to_qr':
      return to({ ...state, heldQr: undefined, qrRequests: 0 }, { type: 'set_qr_timer', ms: QR_ANSWER_MS });
    case 'progress':
      return to(state, ...progress(state));
    case 'listening': {
      const listening = { ...state, isListening: true };
      return to(listening, ...accountRead(listening));
    }
    case 'reloaded':
      return onReloaded(state);
    case 'account':
      return onAccount(state, event.info, event.isExpected);
    case 'account_unreadable':
      return canBeReady(state) ? failed(state, 'PAGE_FAILED', event.detail) : to(state);
    case 'unlinked':
      return gone(state, report({ name: 'unlinked' }));
    case 'failed':
      return failed(state, event.reason, event.detail);
    case 'stopped':
      return gone(state);
  }
}

function to(state: LinkState, ...effects: LinkEffect[]): Transition {
  return { state, effects };
}

/** Two transitions in a row. */
function then({ state, effects }: Transition, step: (state: LinkState) => Transition): Transition {
  const last = step(state);
  return { state: last.state, effects: [...effects, ...last.effects] };
}

function report(event: WorkerEvent): LinkEffect {
  return { type: 'report', event };
}

function gone(state: LinkState, ...effects: LinkEffect[]): Transition {
  return to({ ...state, phase: 'gone' }, { type: 'close' }, ...effects);
}

function failed(state: LinkState, reason: WorkerFailure, detail?: string): Transition {
  return gone(state, report({ name: 'failed', reason, detail, retry: reason !== 'ACCOUNT_RESTRICTED' }));
}

function progress({ phase }: LinkState): LinkEffect[] {
  return phase === 'starting' || phase === 'syncing' ? [report({ name: 'progress' })] : [];
}

/** True while the page is being linked in another way than by QR: none is shown or requested. */
function holdsQr({ passkey, hasCode }: LinkState): boolean {
  return passkey !== undefined || hasCode;
}

function onQr(state: LinkState, text: string): Transition {
  const { phase, qr } = state;
  // The library also builds the text before the page has its first reference, and while it has no secret.
  if (/(^|,)(undefined|null)(,|$)/.test(text) || text === qr) return to(state);
  if (phase !== 'starting' && phase !== 'linking' && phase !== 'offline') return to(state);
  return to({ ...state, phase: 'linking', qr: text }, { type: 'discard_history' }, { type: 'render_qr', text });
}

/** The current QR or code is invalid: another follows. */
function withoutQr(state: LinkState): Transition {
  if (state.phase !== 'linking') return to(state);
  return to({ ...state, qr: '' }, report({ name: 'qr_void' }));
}

/** Requests a QR; a page that returns none is unusable. */
function onQrDue(state: LinkState): Transition {
  if (holdsQr(state)) return to(state);
  const mayReturn = state.phase === 'starting' || state.phase === 'linking';
  if (!awaitsQr(state)) return mayReturn ? to(state, { type: 'set_qr_timer', ms: QR_ANSWER_MS }) : to(state);
  if (state.qrRequests === MAX_QR_REQUESTS) return failed(state, 'PAGE_FAILED', 'the page does not refresh its QR');
  return to(
    { ...state, qrRequests: state.qrRequests + 1 },
    { type: 'request_qr' },
    { type: 'set_qr_timer', ms: QR_ANSWER_MS },
  );
}

function onSocket(before: LinkState, socket: string, now: number): Transition {
  const state = { ...before, socket, isConnected: socket === 'CONNECTED' };
  const effects = socket === before.socket ? [] : progress(before);
  if (!awaitsQr(state)) effects.push({ type: 'set_qr_timer' });
  // The page has stopped to renew its QR.
  if (socket === 'UNPAIRED_IDLE' && socket !== before.socket && !holdsQr(state)) effects.push({ type: 'request_qr' });
  return then(to(state, ...effects), (changed) => bySocket(changed, now));
}

function bySocket(state: LinkState, now: number): Transition {
  const { phase, socket } = state;
  const restriction = RESTRICTIONS[socket];
  if (restriction) return failed(state, 'ACCOUNT_RESTRICTED', restriction);
  if (socket === 'DEPRECATED_VERSION') return failed(state, 'PAGE_OUTDATED');
  if (state.isConnected) return then(linked(state, now), (changed) => to(changed, ...accountRead(changed)));
  if (socket === 'PAIRING') return state.passkey === undefined ? linked(state, now) : to(state);
  if (!UNPAIRED.has(socket) || phase === 'ready') return offline(state, socket);
  // The pairing failed: the next QR is reported, even if its text is the same as before.
  return to(phase === 'syncing' ? { ...state, phase: 'starting', qr: '' } : state);
}

function linked(state: LinkState, now: number): Transition {
  const { phase } = state;
  if (phase !== 'starting' && phase !== 'linking') return to(state);
  const linkedAt = phase === 'linking' ? now : state.linkedAt;
  return to(
    { ...state, phase: 'syncing', linkedAt, passkey: undefined, hasCode: false },
    { type: 'forget_code' },
    report({ name: 'authenticating' }),
  );
}

function offline(state: LinkState, socket: string): Transition {
  // A conflict (the account is used elsewhere) is reported even if the page is offline already.
  const isNewConflict = state.phase === 'offline' && socket === 'CONFLICT' && state.lostSocket !== socket;
  if (state.phase !== 'ready' && !isNewConflict) return to(state);
  return to(
    { ...state, phase: 'offline', lostSocket: socket },
    { type: 'pause' },
    report({ name: 'connection_lost', pageState: socket }),
  );
}

function onReloaded(state: LinkState): Transition {
  const reloaded = {
    ...state,
    passkey: undefined,
    hasCode: false,
    heldQr: undefined,
    isListening: false,
    isConnected: false,
  };
  const forgotten = to(reloaded, { type: 'forget_code' }, { type: 'pause' });
  return then(then(forgotten, withoutQr), (changed) => offline(changed, 'PAGE_RELOADED'));
}

function onScreen(state: LinkState, { passkey: shown, code }: LinkScreen, now: number): Transition {
  const passkey = state.isConnected ? undefined : shown; // Once linked, the screen is about to close.
  if (passkey !== undefined) {
    // A code was typed, or the QR scanned, before.
    if (passkey === state.passkey)
      return state.hasCode ? to({ ...state, hasCode: false }, { type: 'forget_code' }) : to(state);
    const asked: LinkState = { ...state, phase: 'linking', passkey, hasCode: false, qr: '' };
    return to(asked, { type: 'forget_code' }, report({ name: 'passkey', step: passkey }));
  }
  if (state.passkey !== undefined) return afterPasskey({ ...state, passkey }, now);
  if (code === 'renew') return to(state, { type: 'renew_code' });
  return code === 'end' ? to(state, { type: 'end_code' }) : to(state);
}

/** The passkey was used, refused or cancelled. A QR from a moment ago is still valid; the next one may take a while. */
function afterPasskey(state: LinkState, now: number): Transition {
  const { heldQr, socket } = state;
  const ended = socket === 'PAIRING' ? linked(state, now) : withoutQr(state);
  return then(ended, (changed) => {
    const free = { ...changed, heldQr: undefined };
    if (heldQr && now - heldQr.at < HELD_QR_MS) return onQr(free, heldQr.text);
    return to({ ...free, qrRequests: 0 }, { type: 'set_qr_timer', ms: LINK_BY_PASSKEY_MS });
  });
}

function canBeReady({ phase, isConnected, isListening }: LinkState): boolean {
  return isConnected && isListening && phase !== 'ready' && phase !== 'gone';
}

/** The number of a newly linked account is reported once, during its first sync. */
function isNumberNew({ phase, linkedAt, hasReportedNumber }: LinkState): boolean {
  return phase === 'syncing' && linkedAt > 0 && !hasReportedNumber;
}

function accountRead(state: LinkState): LinkEffect[] {
  const isExpected = canBeReady(state);
  return isExpected || isNumberNew(state) ? [{ type: 'read_account', isExpected }] : [];
}

function onAccount(state: LinkState, info: SessionInfo, isExpected: boolean): Transition {
  if (isExpected && canBeReady(state)) {
    const ready: LinkState = { ...state, phase: 'ready', hasCode: false };
    return to(ready, { type: 'forget_code' }, report({ name: 'ready', info }), { type: 'became_ready' });
  }
  if (!isNumberNew(state) || !info.phone) return to(state);
  return to({ ...state, hasReportedNumber: true }, report({ name: 'account', number: info.phone }));
}
