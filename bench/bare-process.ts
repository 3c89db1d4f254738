import wwebjs from 'whatsapp-web.js';
import { burstOf } from './benchmark.ts';

/**
 * Sessions of the library alone, all in this process, as in its documentation: the baseline for the gateway. The parent
 * process sends one call at a time; QR texts are reported as they arrive.
 */

interface Options {
  readonly dataPath: string;
  readonly browserPath: string;
  readonly browserArgs: readonly string[];
  readonly headlessShell: boolean;
}

const { dataPath, browserPath, browserArgs, headlessShell } = JSON.parse(process.argv[2] ?? '') as Options;
/** The gateway does not mark chats as seen either. */
const OPTIONS = { sendSeen: false };

interface Session {
  readonly client: wwebjs.Client;
  media?: wwebjs.Message;
  onMedia(): void;
  readonly acked: Set<string>;
  readonly onAck: Map<string, () => void>;
}

const sessions = new Map<string, Session>();

const calls = {
  /** Starts clients at once. Returns when each was ready (`Date.now()`), in this order. */
  start: async ({ ids }: { ids: string[] }) => (await Promise.all(ids.map(ready))).sort((a, b) => a - b),

  /** Sends one text after another. Answers how long each took in ms, `acked` also until the network had it. */
  latencies: async ({ id, to, count, acked }: { id: string; to: string; count: number; acked: boolean }) => {
    const times: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const startedAt = performance.now();
      const message = await send(id, to, n);
      if (acked) await untilAcked(id, message);
      times.push(performance.now() - startedAt);
    }
    return times;
  },

  /**
   * Sends texts with several in progress at once in each session; `acked` waits for all acks at the end. Returns the
   * duration in ms.
   */
  burst: async ({
    ids,
    to,
    count,
    inFlight,
    acked,
  }: {
    ids: string[];
    to: string;
    count: number;
    inFlight: number;
    acked: boolean;
  }) => {
    const startedAt = performance.now();
    const sent: { readonly id: string; readonly message: wwebjs.Message }[] = [];
    await burstOf(ids, count, inFlight, async (id, n) => {
      sent.push({ id, message: await send(id, to, n) });
    });
    if (acked) await Promise.all(sent.map(({ id, message }) => untilAcked(id, message)));
    return performance.now() - startedAt;
  },

  download: async ({ id }: { id: string }) => {
    const media = await sessionOf(id).media?.downloadMedia();
    if (!media) throw new Error('there is no media');
  },

  nextMedia: ({ id }: { id: string }) =>
    new Promise<void>((resolve) => {
      sessionOf(id).onMedia = resolve;
    }),

  stop: async ({ ids }: { ids: string[] }) => {
    await Promise.all(ids.map((id) => sessions.get(id)?.client.destroy()));
    for (const id of ids) sessions.delete(id);
  },
} as const;

export type BareCalls = typeof calls;

async function ready(id: string): Promise<number> {
  const client = new wwebjs.Client({
    authStrategy: new wwebjs.LocalAuth({ dataPath, clientId: id }),
    webVersionCache: { type: 'none' },
    puppeteer: {
      executablePath: browserPath,
      headless: headlessShell ? ('shell' as unknown as boolean) : true,
      args: ['--no-sandbox', ...browserArgs],
    },
  });
  const session: Session = { client, onMedia: () => {}, acked: new Set(), onAck: new Map() };
  sessions.set(id, session);
  client.on('qr', (qr) => process.send?.({ qr, id }));
  client.on('message', (message) => {
    if (!message.hasMedia) return;
    session.media = message;
    session.onMedia();
  });
  client.on('message_ack', ({ id: { _serialized } }, ack) => {
    if (ack <= 0) return;
    session.acked.add(_serialized);
    session.onAck.get(_serialized)?.();
  });
  const isReady = new Promise<number>((resolve) => client.once('ready', () => resolve(Date.now())));
  await client.initialize();
  await client.pupPage?.evaluate(reportSync);
  return isReady;
}

/** The library waits forever for a page that has synced before it listens. Runs in the page. */
function reportSync(): void {
  const page = globalThis as unknown as PageGlobals;
  if (page.require('WAWebSocketModel').Socket.hasSynced) page.onAppStateHasSyncedEvent();
}

interface PageGlobals {
  require(name: 'WAWebSocketModel'): { readonly Socket: { readonly hasSynced: boolean } };
  onAppStateHasSyncedEvent(): void;
}

function send(id: string, to: string, n: number): Promise<wwebjs.Message> {
  return sessionOf(id).client.sendMessage(to, `text ${n}`, OPTIONS);
}

async function untilAcked(id: string, { ack, id: { _serialized: messageId } }: wwebjs.Message): Promise<void> {
  const { acked, onAck } = sessionOf(id);
  if (ack > 0 || acked.has(messageId)) return;
  await new Promise<void>((resolve) => onAck.set(messageId, resolve));
  onAck.delete(messageId);
}

function sessionOf(id: string): Session {
  const session = sessions.get(id);
  if (!session) throw new Error('not started');
  return session;
}

process.on('message', async ({ call, name, input }: { call: number; name: keyof BareCalls; input: never }) => {
  try {
    process.send?.({ call, answer: await calls[name](input) });
  } catch (error) {
    process.send?.({ call, error: String(error) });
  }
});
process.on('disconnect', async () => {
  await Promise.all([...sessions.values()].map(({ client }) => client.destroy().catch(() => {})));
  process.exit(0);
});
