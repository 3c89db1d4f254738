import wwebjs from 'whatsapp-web.js';

/**
 * Sessions of the library alone, all in this process, as its documentation has them: what the gateway is compared with.
 * The parent process sends one call at a time; QR texts are reported as they come.
 */

interface Options {
  readonly dataPath: string;
  readonly browserPath: string;
  readonly browserArgs: readonly string[];
  readonly headlessShell: boolean;
}

const { dataPath, browserPath, browserArgs, headlessShell } = JSON.parse(process.argv[2] ?? '') as Options;
/** The gateway marks nothing as seen either. */
const OPTIONS = { sendSeen: false };
const clients = new Map<string, wwebjs.Client>();
/** Messages with media, by session: the newest, and how many have come. */
const newest = new Map<string, { readonly message: wwebjs.Message; readonly count: number }>();

const calls = {
  /** Starts clients at once. Answers when each was ready (`Date.now()`), in that order. */
  start: async ({ ids }: { ids: string[] }) => (await Promise.all(ids.map(ready))).sort((a, b) => a - b),

  /** Sends one text after another. Answers how long each took in ms, `acked` also until the network had it. */
  latencies: async ({ id, to, count, acked }: { id: string; to: string; count: number; acked: boolean }) => {
    const times: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const startedAt = performance.now();
      await send(id, to, `text ${n}`, acked);
      times.push(performance.now() - startedAt);
    }
    return times;
  },

  /** Sends texts with some under way at once in each session, `acked` as for latencies. Answers how many ms it took. */
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
    const sender = async (id: string, texts: number[]) => {
      for (let n = texts.pop(); n !== undefined; n = texts.pop()) await send(id, to, `text ${n}`, acked);
    };
    await Promise.all(
      ids.flatMap((id) => {
        const texts = Array.from({ length: count }, (_, n) => n);
        return Array.from({ length: inFlight }, () => sender(id, texts));
      }),
    );
    return performance.now() - startedAt;
  },

  /** Downloads the newest media that has arrived. */
  download: async ({ id }: { id: string }) => {
    const media = await newest.get(id)?.message.downloadMedia();
    if (!media) throw new Error('there is no media');
  },

  /** How many media have arrived. */
  arrived: async ({ id }: { id: string }) => newest.get(id)?.count ?? 0,

  stop: async ({ ids }: { ids: string[] }) => {
    await Promise.all(ids.map((id) => clients.get(id)?.destroy()));
    for (const id of ids) clients.delete(id);
  },
} as const;

/** What a parent can call. */
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
  clients.set(id, client);
  client.on('qr', (qr) => process.send?.({ qr, id }));
  client.on('message', (message) => {
    if (message.hasMedia) newest.set(id, { message, count: (newest.get(id)?.count ?? 0) + 1 });
  });
  const isReady = new Promise<number>((resolve) => client.once('ready', () => resolve(Date.now())));
  await client.initialize();
  return isReady;
}

async function send(id: string, to: string, body: string, acked: boolean): Promise<void> {
  const client = clients.get(id);
  if (!client) throw new Error('not started');
  if (!acked) {
    await client.sendMessage(to, body, OPTIONS);
    return;
  }
  const confirmed = new Set<string>();
  let look = () => {};
  const onAck = ({ id: { _serialized } }: wwebjs.Message, ack: number) => {
    if (ack > 0) confirmed.add(_serialized);
    look();
  };
  client.on('message_ack', onAck);
  try {
    const sent = await client.sendMessage(to, body, OPTIONS);
    if (sent.ack > 0) return;
    await new Promise<void>((resolve) => {
      look = () => confirmed.has(sent.id._serialized) && resolve();
      look();
    });
  } finally {
    client.off('message_ack', onAck);
  }
}

process.on('message', async ({ call, name, input }: { call: number; name: keyof BareCalls; input: never }) => {
  try {
    process.send?.({ call, answer: await calls[name](input) });
  } catch (error) {
    process.send?.({ call, error: String(error) });
  }
});
process.on('disconnect', async () => {
  await Promise.all([...clients.values()].map((client) => client.destroy().catch(() => {})));
  process.exit(0);
});
