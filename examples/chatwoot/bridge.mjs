/** Connects WhatsApp accounts with Chatwoot: one inbox for each session. README.md says how to run it. */
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
/** Attempts after which a message is added without its file. Outages only delay it. */
const [MAX_REFUSALS, MAX_FAILURES, MAX_NOT_READY] = [3, 10, 60];
const OUTAGES = [429, 502, 503, 504];

if (!CHATWOOT_URL || !CHATWOOT_TOKEN) throw new Error('set CHATWOOT_URL and CHATWOOT_TOKEN');
await mkdir(folder, { recursive: true });
const gateway = { url: GATEWAY_URL, token: GATEWAY_TOKEN };
const client = createClient(gateway);
const chatwoot = createChatwoot({ url: CHATWOOT_URL, account, token: CHATWOOT_TOKEN });

/** By session: its inbox in Chatwoot, and the replies from there. */
const [inboxes, replies] = [new Map(), new Map()];
const { payload: existing } = await chatwoot.call('GET', 'inboxes');
for (const session of SESSIONS.split(',').map((id) => id.trim())) {
  const name = `WhatsApp ${session}`;
  const found = existing.find((one) => one.name === name && one.channel_type === 'Channel::Api');
  const { id: inbox } = found ?? (await chatwoot.call('POST', 'inboxes/', { name, channel: { type: 'api' } }));
  await chatwoot.call('PATCH', `inboxes/${inbox}`, { lock_to_single_conversation: true });
  inboxes.set(session, inbox);
  replies.set(session, await openReplies({ client, chatwoot, session, inbox, folder }));
}

const add = createArrivals({ client, chatwoot, inboxes });
const listener = listen(gateway, {
  sessions: [...inboxes.keys()],
  chats: ['person', 'group'],
  position: filePosition(join(folder, 'position')),
  from: new Date(Math.min(...[...replies.values()].map(({ from }) => from)) * 1000).toISOString(),
  onError: async (error, event, attempt = 0) => {
    console.error(event ? `message ${event.data.id}: ${error.message}` : error.message);
    const isRefused = error.isRefused || error.code === 'media_not_found';
    const limit = isRefused ? MAX_REFUSALS : error.status === 409 ? MAX_NOT_READY : MAX_FAILURES;
    const ofGateway = error instanceof GatewayError;
    const status = error.chatwoot ?? (ofGateway ? (error.status ?? 503) : 500);
    const mayHelp = error.isRefused || ((ofGateway || event?.data.hasMedia) && !OUTAGES.includes(status));
    if (attempt < limit || !mayHelp) return;
    const adding = add(event, `${event.data.type}: ${error.message}`);
    return await adding.then(() => 'skip').catch((again) => (again.isRefused ? 'skip' : undefined));
  },
});

/** A webhook only says where to look: what is sent is read from Chatwoot. So it needs no signature. */
const server = createServer(async (request, response) => {
  try {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) {
      text += piece;
      if (text.length > 1_000_000) return response.destroy();
    }
    response.end();
    const { inbox, conversation, message_type, content_attributes } = JSON.parse(text);
    const session = [...inboxes.keys()].find((id) => inboxes.get(id) === inbox.id);
    const isReply = message_type !== 'incoming' && !content_attributes?.external_id;
    if (session && isReply && Number.isSafeInteger(conversation.id)) replies.get(session).look(conversation.id);
  } catch {} // Not from Chatwoot, or another event.
});
server.listen(Number(BRIDGE_PORT));
const { payload } = await chatwoot.call('GET', 'webhooks');
if (WEBHOOK_URL && !(payload.webhooks ?? payload).some(({ url }) => url === WEBHOOK_URL))
  await chatwoot.call('POST', 'webhooks', { url: WEBHOOK_URL, subscriptions: ['message_created'] });

// A reply that is being sent is completed after the next start.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => listener.stop().then(() => process.exit()));
console.log(`connected ${[...inboxes.keys()].join(', ')}`);
for (const { run } of replies.values()) void run(Number(SWEEP_SECONDS) || 60);
const gap = ({ data }) => {
  console.error('messages are missing', data);
  chatwoot.forget(); // A gateway restored from an older copy repeats events.
};
await listener.run({ message: add, message_sent: add, gap });
