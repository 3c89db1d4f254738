/**
 * Connects WhatsApp accounts with Chatwoot: one inbox for each session. See README.md.
 *
 *   CHATWOOT_URL=https://chat.example CHATWOOT_TOKEN=<token> GATEWAY_TOKEN=<key> SESSIONS=main,sales \
 *     WEBHOOK_URL=http://10.0.0.7:3100 node examples/chatwoot/bridge.mjs
 */
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createClient, GatewayError, listen } from '@chat-web/host';
import { filePosition } from '@chat-web/host/node';
import { createArrivals } from './arrivals.mjs';
import { createChatwoot } from './chatwoot.mjs';
import { openReplies } from './replies.mjs';

const { GATEWAY_URL = 'http://127.0.0.1:3000', GATEWAY_TOKEN, SESSIONS = 'main' } = process.env;
const { CHATWOOT_URL, CHATWOOT_ACCOUNT: account = '1', CHATWOOT_TOKEN, WEBHOOK_URL } = process.env;
const { BRIDGE_PORT = '3100', BRIDGE_FOLDER: folder = 'chatwoot-bridge', SWEEP_SECONDS = '60' } = process.env;
const MAX_WEBHOOK_CHARACTERS = 1_000_000;
/** After these, a message is added without its file. The second is for a session that may be ready in some minutes. */
const [MAX_REFUSALS, MAX_ATTEMPTS] = [3, 10];

if (!CHATWOOT_URL || !CHATWOOT_TOKEN) throw new Error('set CHATWOOT_URL and CHATWOOT_TOKEN');
await mkdir(folder, { recursive: true });
const gateway = { url: GATEWAY_URL, token: GATEWAY_TOKEN };
const client = createClient(gateway);
const chatwoot = createChatwoot({ url: CHATWOOT_URL, account, token: CHATWOOT_TOKEN });

const inboxes = new Map();
for (const session of SESSIONS.split(',')) inboxes.set(session, await chatwoot.inbox(`WhatsApp ${session}`));
const add = createArrivals({ client, chatwoot, inboxes });
const replies = await openReplies({ client, chatwoot, inboxes, account, folder });

const listener = listen(gateway, {
  sessions: [...inboxes.keys()],
  chats: ['person', 'group'],
  position: filePosition(join(folder, 'position')),
  from: new Date(replies.from * 1000).toISOString(),
  onError: async (error, event, attempt = 0) => {
    console.error(event ? `message ${event.data.id}: ${error.message}` : error.message);
    const isRefusal = ({ chatwoot, code }) => [400, 413, 422].includes(chatwoot) || code === 'media_not_found';
    if (isRefusal(error) ? attempt < MAX_REFUSALS : attempt < MAX_ATTEMPTS || !(error instanceof GatewayError)) return;
    const note = `${event.data.type}: ${error.message}`;
    return add(event, note).then(
      () => 'skip',
      (again) => (isRefusal(again) ? 'skip' : undefined),
    );
  },
});

/** A webhook only says where to look: what is sent is read from Chatwoot. So it needs no signature. */
const server = createServer(async (request, response) => {
  try {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) {
      text += piece;
      if (text.length > MAX_WEBHOOK_CHARACTERS) return response.destroy();
    }
    response.end();
    const { inbox, conversation, message_type, content_attributes } = JSON.parse(text);
    const session = [...inboxes.keys()].find((id) => inboxes.get(id) === inbox.id);
    const isReply = message_type !== 'incoming' && !content_attributes?.external_id;
    if (session && isReply && Number.isSafeInteger(conversation.id)) replies.look(session, conversation.id);
  } catch {} // Not of Chatwoot, or of another event.
});
server.listen(Number(BRIDGE_PORT));
if (WEBHOOK_URL) await chatwoot.addWebhook(WEBHOOK_URL);

// A reply that is being sent is continued at the next start.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => listener.stop().then(() => process.exit()));

console.log(`connected ${[...inboxes.keys()].join(', ')}`);
void listener.run({ message: add, message_sent: add, gap: ({ data }) => console.error('messages are missing', data) });
const sweep = () => replies.sweep().catch((error) => console.error(error.message));
setInterval(sweep, Number(SWEEP_SECONDS) * 1000);
await sweep();
