import type { WorkerEvent } from '@chat-web/protocol';
import { describe, expect, it, vi } from 'vitest';
import { Capabilities } from './capabilities.ts';
import { SessionEvents } from './events.ts';
import { Inbox } from './inbox.ts';
import { PageReport } from './page-report.ts';

const NOW = 1_800_000_000;
const account = { pushname: 'Ada', wid: '12025550101@c.us' };

const model = (id: string) => ({
  ...{ id, fromMe: false, from: 'a@c.us', to: 'b@c.us', mentionedIds: [], type: 'chat', body: id, t: NOW },
  ...{ hasMedia: false, isForwarded: false, isStatus: false },
});

/** The events of a session over a page that holds these messages. */
function session() {
  const held: string[] = [];
  const told: string[] = [];
  const report = (event: WorkerEvent) => void told.push(event.name === 'message' ? event.message.id : event.name);
  const log = vi.fn();
  const page = {
    load: async () => 0,
    hasChanged: async () => false,
    since: async () => held.map((id) => ({ id, isNew: true })),
    models: async (ids: readonly string[]) => ids.map(model),
  };
  const sources = { readAccount: async () => account, renderQr: async () => '' };
  const inbox = new Inbox(report, page, log, NOW);
  const events = new SessionEvents(report, sources, inbox, new PageReport(report, new Capabilities(), log), log);
  const up = async () => {
    events.onListening();
    events.onSocketState('CONNECTED');
    await vi.waitFor(() => expect(events.isReady).toBe(true));
    await new Promise(setImmediate);
  };
  return { events, held, told, log, page, up };
}

describe('what came while nobody listened is told before what comes live', () => {
  it('after a reload of the page', async () => {
    const { events, held, told, up } = session();
    await up();
    events.onPageReloaded();
    held.push('missed');
    events.onMessage(model('live'));
    await up();
    expect(told).toEqual(['authenticating', 'ready', 'connection_lost', 'ready', 'missed', 'live']);
  });

  it('after a loss of the connection', async () => {
    const { events, held, told, up } = session();
    await up();
    events.onSocketState('TIMEOUT');
    held.push('missed');
    events.onMessage(model('live'));
    await up();
    expect(told).toEqual(['authenticating', 'ready', 'connection_lost', 'ready', 'missed', 'live']);
  });
});

it('a session whose page cannot say what it holds is up, hears what comes live, and says so in its log', async () => {
  const { events, told, log, page, up } = session();
  page.since = () => Promise.reject(new Error('a message without an id'));
  await up();
  events.onMessage(model('live'));
  expect(told).toEqual(['authenticating', 'ready', 'live']);
  expect(log).toHaveBeenCalledWith('warn', expect.stringContaining('a message without an id'));
});

it('what a page says that cannot be read is a line in the log without what was said', async () => {
  const { events, log, told, up } = session();
  await up();
  const secret = '12025550177';
  for (const [field, value] of Object.entries({ t: secret, mentionedIds: secret, isStatus: secret, from: { secret } }))
    events.onMessage({ ...model(`true_${secret}@c.us_3EB0`), body: secret, [field]: value });
  events.onAck(`true_${secret}@c.us_3EB0`, Number.NaN);
  expect(told).toEqual(['authenticating', 'ready']);
  const lines = log.mock.calls.map(([, text]) => String(text));
  expect(lines.filter((line) => line.includes('could not be read'))).toHaveLength(4);
  expect(lines.join()).toMatch(/mentionedIds/);
  expect(lines.join()).not.toContain(secret);
});
