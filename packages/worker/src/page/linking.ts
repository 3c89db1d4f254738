/** What the page has reported about linking; undefined until it is listened to. Times in milliseconds since 1970. */
let linking: LinkingState | undefined;
interface LinkingState {
  /** When the page last requested a passkey, what it waits for since, and whether its screen was ever recognised. */
  passkeyAt: number;
  step: LinkScreen['passkey'];
  hasScreen: boolean;
  /** When a pairing code was last typed. */
  typedAt: number;
  /** What the network requested since the last read. */
  code?: 'renew' | 'end' | undefined;
}

function isTyped(typedMs: number): boolean {
  return Date.now() - (linking?.typedAt ?? 0) < typedMs;
}

/** Listens to the page's reports about linking; undefined if this build does not have them, or not yet. */
function listenToLinking(): LinkingState | undefined {
  const state: LinkingState = { passkeyAt: 0, step: undefined, hasScreen: false, typedAt: 0 };
  try {
    const { WAWebLinkDeviceEvents: events } = window.require('WAWebLinkDeviceEvents');
    const on = (name: string, listener: (...args: unknown[]) => void) =>
      events.on(`link_device_events:${name}`, listener);
    on('passkey_prologue_request', () => {
      state.passkeyAt = Date.now();
      state.step = 'passkey';
    });
    on('shortcake_prologue_sent', () => {
      state.step = 'phone';
    });
    on('shortcake_verification_code_ready', (_code, isConfirmed) => {
      state.step = isConfirmed === true ? undefined : 'code';
    });
    on('shortcake_error', () => {
      state.step = 'passkey';
    });
    on('primary_hello_received', () => {
      state.typedAt = Date.now();
    });
    on('refresh_alt_linking_code', () => {
      state.code ??= 'renew';
    });
    for (const name of ['force_manual_refresh', 'error_alt_linking'])
      on(name, () => {
        state.code = 'end';
      });
    return state;
  } catch {
    return undefined;
  }
}

/** Listens to the page's reports about linking, unless it does already. Modules may load late: call it again. */
export function watchLinking(): void {
  linking ??= listenToLinking();
}

/** What the page shows for linking, besides a QR. */
export interface LinkScreen {
  /** The step that the page waits for to link an account with a passkey. */
  readonly passkey: 'passkey' | 'phone' | 'code' | undefined;
  /** What the network requested since the last read: another pairing code, or the end of pairing by code. */
  readonly code: 'renew' | 'end' | undefined;
}

/**
 * Reads the page's passkey screen. The browser's passkey request, which follows a click on the button there, is the
 * page's own: this neither reads nor changes it. Some builds have no test ids: if the screen was never recognised, the
 * page's events count, for as long as the network waits for the passkey.
 */
export function readLinkScreen(passkeyMs: number): LinkScreen {
  watchLinking();
  const code = linking?.code;
  if (linking) linking.code = undefined;
  if (!isShown('shortcake_passkey_screen')) return { passkey: unseenStep(passkeyMs), code };
  if (linking) linking.hasScreen = true;
  if (isShown('shortcake_code_matching_card')) return { passkey: 'code', code };
  return { passkey: isShown('shortcake_waiting_for_phone_card') ? 'phone' : 'passkey', code };
}

function isShown(testId: string): boolean {
  return [...window.document.querySelectorAll(`[data-testid="${testId}"]`)].length > 0;
}

/** What a passkey screen that cannot be recognised waits for, by the page's events. */
function unseenStep(passkeyMs: number): LinkScreen['passkey'] {
  if (!linking || linking.hasScreen || Date.now() - linking.passkeyAt >= passkeyMs) return undefined;
  const { state = '' } = window.require('WAWebSocketModel').Socket;
  return /^(UNPAIRED|PAIRING)/.test(state) ? linking.step : undefined;
}

/** Why the page gave no code: its name for it, and the network's code. */
export interface CodeRefusal {
  readonly is: 'refused';
  readonly name: string | undefined;
  readonly code: number | undefined;
}

/** A code, or why there is none: the state of the page, or a refusal. */
export type CodeAnswer =
  | { readonly is: 'code'; readonly code: string }
  | { readonly is: 'not_unpaired' }
  /** The owner has just typed a code; another would break the link. */
  | { readonly is: 'typed' }
  | CodeRefusal;

/**
 * Requests a pairing code for a number, in digits. The page drops the secret of the current QR, which can then no
 * longer link. `notifiesPhone`: the network shows the request on the phone. `typedMs`: how long linking may take once a
 * code was typed. The library's own function would repeat the request every three minutes for as long as the page
 * lives.
 */
export async function requestCode(number: string, notifiesPhone: boolean, typedMs: number): Promise<CodeAnswer> {
  const isUnpaired = () => window.require('WAWebSocketModel').Socket.state?.startsWith('UNPAIRED');
  if (!isUnpaired()) return { is: 'not_unpaired' };
  if (isTyped(typedMs)) return { is: 'typed' };
  const api = window.require('WAWebAltDeviceLinkingApi');
  try {
    await api.initializeAltDeviceLinking();
    api.setPairingType('ALT_DEVICE_LINKING');
    return { is: 'code', code: await api.startAltLinkingFlow(number, notifiesPhone) };
  } catch (error) {
    if (!isUnpaired()) return { is: 'not_unpaired' };
    // A CompanionHelloError, whose name a build may shorten, or a server error.
    interface Thrown {
      readonly name?: unknown;
      readonly status?: unknown;
      readonly type?: { readonly name?: unknown; readonly value?: { readonly code?: unknown } };
    }
    const { name, status, type } = (error ?? {}) as Thrown;
    const [why, code] = [type?.name ?? name, Number(type?.value?.code ?? status)];
    return {
      is: 'refused',
      name: typeof why === 'string' ? why : undefined,
      code: Number.isInteger(code) ? code : undefined,
    };
  }
}

/** Gives the QR a new secret, unless the page is being linked. The current QR stays invalid: another must follow. */
export async function returnToQr(typedMs: number): Promise<void> {
  if (!window.require('WAWebSocketModel').Socket.state?.startsWith('UNPAIRED')) return;
  if (isTyped(typedMs)) return;
  await window.require('WAWebAltDeviceLinkingApi').initializeQRLinking?.();
}

/** Requests new QR references after the last one has expired. Does nothing while linking, which it would abort. */
export function refreshQr(typedMs: number, passkeyMs: number): void {
  if (isTyped(typedMs) || isShown('shortcake_passkey_screen') || unseenStep(passkeyMs)) return;
  const { Cmd } = window.require('WAWebCmd');
  if (Cmd.refreshQR) Cmd.refreshQR();
  else window.require('WAWebLaunchSocketUtils').refreshQR();
}
