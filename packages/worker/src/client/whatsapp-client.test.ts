import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { Capabilities } from './capabilities.ts';
import { type ClientSignals, WhatsAppClient } from './whatsapp-client.ts';

const MAX_CALLS = 1_000;

/** A closing page: it refuses every call at once, until an event reports that it is closed. */
class ClosingPage {
  calls = 0;
  #isClosed = false;

  constructor(closedAfterMs: number) {
    void delay(closedAfterMs).then(() => {
      this.#isClosed = true;
    });
  }

  async run(): Promise<never> {
    this.calls += 1;
    throw new Error('Protocol error (Runtime.callFunctionOn): Target closed');
  }

  isClosed(): boolean {
    return this.#isClosed || this.calls > MAX_CALLS;
  }
}

function clientOn(page: ClosingPage, connected: boolean) {
  const onFailure = vi.fn();
  const signals = { onFailure, onPageReloaded() {} } as Partial<ClientSignals> as ClientSignals;
  const connect = () => Promise.reject(new Error('not used'));
  const options = {
    pageProgram: '',
    connect,
    capabilities: new Capabilities(),
    holdsQr: () => false,
    onPageReloaded() {},
    lookUpsFrom: () => 0,
  };
  const client = new WhatsAppClient(options, signals);
  Object.assign(client, { pupPage: page, pupBrowser: { connected } });
  Object.defineProperty(client, 'link', { value: page });
  return { client, onFailure };
}

describe('an injection into a closing page', () => {
  it('does not block the event loop, and ends with the page', async () => {
    const page = new ClosingPage(200);
    const { client, onFailure } = clientOn(page, true);
    await client.inject();
    expect(page.calls).toBeGreaterThan(1);
    expect(page.calls).toBeLessThan(20);
    expect(onFailure).not.toHaveBeenCalled();
  });

  it('is not attempted after the browser is gone', async () => {
    const page = new ClosingPage(60_000);
    const { client } = clientOn(page, false);
    await client.inject();
    expect(page.calls).toBe(0);
  });
});

it.each([
  ['passkey', 60_000],
  ['code', 15_000],
] as const)('after linking by %s ends, a QR is requested %i ms later if none is shown', async (wasHeldBy, waitMs) => {
  vi.useFakeTimers();
  const page = new ClosingPage(3_600_000);
  const { client } = clientOn(page, true);
  client.releaseQr(wasHeldBy);
  await vi.advanceTimersByTimeAsync(waitMs - 1);
  expect(page.calls).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(page.calls).toBe(2); // The query of its state, and the request.
});
