import wwebjs from 'whatsapp-web.js';

/**
 * One session as the library makes it by itself, in a process without any flags: what `session-memory` compares with.
 * Tells its parent of `qr` and `ready`, downloads what comes with media, and tells of that, too.
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
