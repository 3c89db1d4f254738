import wwebjs from 'whatsapp-web.js';

/**
 * One session of the library alone, in a process without flags: the comparison for `session-memory`. Reports `qr` and
 * `ready` to its parent, downloads inbound media, and reports that, too.
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
client.on('message', async (message) => {
  if (!message.hasMedia) return;
  await message.downloadMedia();
  process.send?.({ downloaded: true });
});
process.on('disconnect', async () => {
  await client.destroy();
  process.exit(0);
});
await client.initialize();
