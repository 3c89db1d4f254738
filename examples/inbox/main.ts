/**
 * An inbox for one linked account, in a browser. `npm run example` runs it on the simulator; README.md beside this file has
 * its settings.
 */
import { createCachedClient, createClient } from '@chat-web/host';
import { cacheOptionsFromEnv, cloudWebhookFromEnv } from '@chat-web/host/node';
import { serve } from '@hono/node-server';
import { createApp } from './app.tsx';
import { cloudHandlers, follow } from './follow.ts';
import { Live } from './live.ts';
import { sendsDone } from './messages.ts';
import { Store } from './store.ts';

const { GATEWAY_URL: url = 'http://127.0.0.1:3000', GATEWAY_TOKEN: token, SESSION: session = 'main' } = process.env;
const {
  INBOX_PORT = '8080',
  INBOX_FILE = 'inbox.jsonl',
  INBOX_ORIGIN,
  INBOX_PICTURES_AFTER_MINUTES = '10',
} = process.env;

const gateway = { url, token };
const client = createCachedClient(createClient(gateway), cacheOptionsFromEnv(process.env));
const inbox = { session, client, store: await Store.open(INBOX_FILE), live: new Live() };
const webhook = process.env.CHAT_VERIFY_TOKEN
  ? cloudWebhookFromEnv(process.env, { handlers: cloudHandlers(inbox), answerAfterHandlers: true })
  : undefined;

const origins = INBOX_ORIGIN ? [new URL(INBOX_ORIGIN).origin] : [];
const app = createApp({ ...inbox, origins, webhook, picturesAfterMs: Number(INBOX_PICTURES_AFTER_MINUTES) * 60_000 });
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(INBOX_PORT) }, ({ port }) => {
  origins.push(`http://127.0.0.1:${port}`, `http://localhost:${port}`);
  console.log(`inbox listening on http://127.0.0.1:${port}`);
});

const events = follow(gateway, inbox);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop());
events.done.catch((error: unknown) => {
  console.error(`the events cannot be followed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
  void stop();
});

/** Work in progress is finished; later events wait at the gateway. Open pages reconnect by themselves. */
async function stop(): Promise<void> {
  server.close();
  await Promise.all([events.stop(), webhook?.close(), sendsDone()]);
  await inbox.store.close();
  process.exit();
}
