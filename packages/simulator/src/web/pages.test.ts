import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import type { PageDisturbance, PageReport } from '../page/wire.ts';
import { Pages } from './pages.ts';

/** The page's end of `/ws/test-control`, with scripted reports. */
class Tab extends EventEmitter {
  readonly disturbances: PageDisturbance[] = [];

  send(disturbance: string): void {
    this.disturbances.push(JSON.parse(disturbance));
  }

  report(disturbancesReceived: number): void {
    const seen = { socketState: 'CONNECTED', hasSynced: true, browser: { userAgent: 'Test', brands: [] } };
    this.emit('message', JSON.stringify({ ...seen, disturbancesReceived } satisfies PageReport));
  }
}

function openPage() {
  const pages = new Pages();
  const tab = new Tab();
  pages.join('page', tab as unknown as WebSocket);
  tab.report(0);
  return { pages, tab };
}

describe('a disturbance', () => {
  beforeEach(() => void vi.useFakeTimers());

  it('resolves when the page has received it, not before', async () => {
    const { pages, tab } = openPage();
    let ended = 0;
    const two = [1, 2].map(() => pages.disturb('page', { kind: 'block', ms: 1 }).then(() => (ended += 1)));
    tab.report(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([tab.disturbances.length, ended]).toEqual([2, 0]);
    tab.report(1);
    await two[0];
    expect(ended).toBe(1);
    tab.report(2);
    await Promise.all(two);
    expect(tab.listenerCount('message')).toBe(1);
    expect(pages.list()).toMatchObject([{ id: 'page', socketState: 'CONNECTED', hasSynced: true }]);
  });

  it('resolves when the page disconnects, if that was intended', async () => {
    const { pages, tab } = openPage();
    const reload = pages.disturb('page', { kind: 'reload' });
    const iframe = expect(pages.disturb('page', { kind: 'iframe' })).rejects.toThrow('does not take iframe');
    tab.emit('close');
    await Promise.all([reload, iframe]);
    await expect(pages.disturb('page', { kind: 'reload' })).rejects.toThrow('id: no page page is open');
  });

  it('fails if a frozen page does not receive it', async () => {
    const { pages } = openPage();
    const refusal = expect(pages.disturb('page', { kind: 'deaf' })).rejects.toThrow('page page does not take deaf');
    await vi.advanceTimersByTimeAsync(60_000);
    await refusal;
  });
});
