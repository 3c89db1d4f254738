import { beforeEach, describe, expect, it, vi } from 'vitest';
import { freshProgram, stubPage } from '../testing/page-registry.ts';

const PASSKEY_MS = 600_000;

let linking: typeof import('./linking.ts');
/** The test ids of the elements that the page shows. */
let shown: readonly string[];
let modules: Record<string, unknown>;
const socket: { state: string } = { state: 'UNPAIRED' };
const listeners = new Map<string, (...args: unknown[]) => void>();

freshProgram();
beforeEach(async () => {
  shown = [];
  listeners.clear();
  socket.state = 'UNPAIRED';
  const querySelectorAll = (selector: string) => shown.filter((id) => selector === `[data-testid="${id}"]`);
  modules = stubPage({}, { window: { document: { querySelectorAll } } });
  linking = await import('./linking.ts');
});

/** The page has loaded its modules for linking. */
function load(more: Readonly<Record<string, unknown>> = {}): void {
  const on = (name: string, listener: (...args: unknown[]) => void) => listeners.set(name, listener);
  Object.assign(modules, {
    WAWebLinkDeviceEvents: { WAWebLinkDeviceEvents: { on } },
    WAWebSocketModel: { Socket: socket },
    ...more,
  });
}
const emit = (name: string, ...args: unknown[]) => listeners.get(`link_device_events:${name}`)?.(...args);
const stepOf = (passkeyMs = PASSKEY_MS) => linking.readLinkScreen(passkeyMs).passkey;
const show = (...testIds: string[]) => {
  shown = testIds;
};

it('recognises each card of the passkey screen, and its end', () => {
  expect(stepOf()).toBeUndefined();
  for (const [card, step] of [
    ['shortcake_passkey_prompt_card', 'passkey'],
    ['shortcake_waiting_for_phone_card', 'phone'],
    ['shortcake_code_matching_card', 'code'],
    ['a card of tomorrow', 'passkey'],
  ] as const) {
    show('shortcake_passkey_screen', card);
    expect(stepOf()).toBe(step);
  }
  show();
  expect(stepOf()).toBeUndefined();
});

it('the event counts only if no screen was ever recognised, and while the network waits', () => {
  expect(stepOf()).toBeUndefined();
  load();
  expect(stepOf()).toBeUndefined();
  emit('passkey_prologue_request');
  expect(stepOf()).toBe('passkey');
  expect(stepOf(0)).toBeUndefined();
  socket.state = 'CONNECTED';
  expect(stepOf()).toBeUndefined();
  socket.state = 'UNPAIRED_IDLE';
  expect(stepOf()).toBe('passkey');
  show('shortcake_passkey_screen');
  expect(stepOf()).toBe('passkey');
  show();
  expect(stepOf()).toBeUndefined();
});

it('without test ids, the events show what the page waits for, and no QR is requested meanwhile', () => {
  const refreshed = vi.fn();
  load({ WAWebCmd: { Cmd: { refreshQR: refreshed } } });
  stepOf();
  for (const [step, name, ...args] of [
    ['passkey', 'passkey_prologue_request'],
    ['phone', 'shortcake_prologue_sent'],
    ['code', 'shortcake_verification_code_ready', 'ABCD1234', false],
    ['passkey', 'shortcake_error', 'timeout'],
  ] as const) {
    emit(name, ...args);
    socket.state = step === 'phone' ? 'PAIRING' : 'UNPAIRED';
    expect(stepOf()).toBe(step);
    linking.refreshQr(60_000, PASSKEY_MS);
  }
  expect(refreshed).not.toHaveBeenCalled();
  emit('shortcake_verification_code_ready', 'ABCD1234', true); // Its user need not compare it.
  expect(stepOf()).toBeUndefined();
  linking.refreshQr(60_000, PASSKEY_MS);
  expect(refreshed).toHaveBeenCalledTimes(1);
});

describe('a pairing code', () => {
  const TYPED_MS = 60_000;
  let calls: string[];
  const prepare = (state: string, start: () => unknown) => {
    calls = [];
    socket.state = state;
    const called =
      (name: string) =>
      async (...args: unknown[]) =>
        void calls.push([name, ...args].join(' '));
    load({
      WAWebAltDeviceLinkingApi: {
        setPairingType: called('type'),
        initializeAltDeviceLinking: called('init'),
        initializeQRLinking: called('qr'),
        startAltLinkingFlow: async (...args: unknown[]) => {
          await called('start')(...args);
          return start();
        },
      },
    });
  };
  const request = () => linking.requestCode('12025550101', true, TYPED_MS);
  const fails = (thrown: unknown) => () => {
    throw thrown;
  };

  it('is requested as the page itself does', async () => {
    prepare('UNPAIRED', () => 'ABCD1234');
    expect(await request()).toEqual({ is: 'code', code: 'ABCD1234' });
    expect(calls).toEqual(['init', 'type ALT_DEVICE_LINKING', 'start 12025550101 true']);
  });

  it.each([
    [
      { name: 'CompanionHelloError', type: { name: 'IQErrorRateOverlimit', value: { code: 429 } } },
      { name: 'IQErrorRateOverlimit', code: 429 },
    ],
    [{ type: { name: 'IQErrorBadRequest', value: { code: '400' } } }, { name: 'IQErrorBadRequest', code: 400 }],
    [
      { name: 'ServerStatusCodeError', status: 400 },
      { name: 'ServerStatusCodeError', code: 400 },
    ],
    [new Error('Minified invariant'), { name: 'Error', code: undefined }],
    ['auth timeout', { name: undefined, code: undefined }],
    [undefined, { name: undefined, code: undefined }],
  ])('that is refused with %j has a reason', async (thrown, why) => {
    prepare('UNPAIRED', fails(thrown));
    expect(await request()).toEqual({ is: 'refused', ...why });
  });

  it('is neither requested nor withdrawn on a linked page, or for a minute after one was typed', async () => {
    prepare('CONNECTED', () => undefined);
    expect(await request()).toEqual({ is: 'not_unpaired' });
    await linking.returnToQr(TYPED_MS);
    prepare('UNPAIRED', () => undefined);
    stepOf();
    emit('primary_hello_received');
    expect(await request()).toEqual({ is: 'typed' });
    await linking.returnToQr(TYPED_MS);
    expect(calls).toEqual([]);
    await linking.returnToQr(0);
    expect(calls).toEqual(['qr']);
  });

  it('is not refused if the page is linked meanwhile', async () => {
    prepare('UNPAIRED', () => {
      socket.state = 'PAIRING';
      throw new Error('t');
    });
    expect(await request()).toEqual({ is: 'not_unpaired' });
  });

  it('is renewed or ended once for each request of the network', () => {
    prepare('UNPAIRED', () => undefined);
    const read = () => linking.readLinkScreen(PASSKEY_MS).code;
    expect(read()).toBeUndefined();
    emit('refresh_alt_linking_code');
    expect([read(), read()]).toEqual(['renew', undefined]);
    for (const name of ['force_manual_refresh', 'error_alt_linking']) {
      emit(name);
      emit('refresh_alt_linking_code');
      expect([read(), read()]).toEqual(['end', undefined]);
    }
  });
});
