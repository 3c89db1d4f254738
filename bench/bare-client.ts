import wwebjs from 'whatsapp-web.js';

/**
 * One session of the library alone, in a process without flags, for comparison. Reports `qr` and `ready` to its parent,
 * downloads inbound media, and reports that, too. Downloads media again, by their number, when its parent says so.
 */

const { dataPath, browserPath, browserArgs } = JSON.parse(process.argv[2] ?? '') as {
  dataPath: string;
  browserPath: string;
  browserArgs: string[];
};

const client = new wwebjs.Client({
  authStrategy: new wwebjs.LocalAuth({ dataPath }),
  webVersionCache: { type: 'none' },
  puppeteer: { executablePath: browserPath, headless: true, args: ['--no-sandbox', ...browserArgs] },
});
client.on('qr', (text) => process.send?.({ qr: text }));
client.on('ready', () => process.send?.({ ready: true }));
const media: wwebjs.Message[] = [];
client.on('message', async (message) => {
  if (!message.hasMedia) return;
  media.push(message);
  await message.downloadMedia();
  process.send?.({ downloaded: true });
});
process.on('message', async ({ download }: { download: number }) => {
  const startedAt = performance.now();
  await media[download]?.downloadMedia();
  process.send?.({ downloadedMs: performance.now() - startedAt });
});
process.on('disconnect', async () => {
  await client.destroy();
  process.exit(0);
});
await client.initialize();
