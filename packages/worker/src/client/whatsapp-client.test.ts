import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Capabilities } from './capabilities.ts';
import { WhatsAppClient } from './whatsapp-client.ts';

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
  const events: string[] = [];
  const client = new WhatsAppClient({
    pageProgram: '',
    connect: () => Promise.reject(new Error('not used')),
    capabilities: new Capabilities(),
    log() {},
    dispatch: ({ name }) => events.push(name),
    onSignal() {},
    onNamed() {},
    onPageChecked() {},
    awaitsQr: () => true,
    lookUpsFrom: () => 0,
  });
  Object.assign(client, { pupPage: page, pupBrowser: { connected } });
  Object.defineProperty(client, 'link', { value: page });
  return { client, events };
}

describe('an injection into a closing page', () => {
  it('does not block the event loop, and ends with the page', async () => {
    const page = new ClosingPage(200);
    const { client, events } = clientOn(page, true);
    await client.inject();
    expect(page.calls).toBeGreaterThan(1);
    expect(page.calls).toBeLessThan(20);
    expect(events).not.toContain('failed');
  });

  it('is not attempted after the browser is gone', async () => {
    const page = new ClosingPage(60_000);
    const { client } = clientOn(page, false);
    await client.inject();
    expect(page.calls).toBe(0);
  });
});
