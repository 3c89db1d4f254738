/**
 * Answers each text with the same text, once, across restarts of the gateway and of itself.
 *
 *   npm start                                              # or npm run demo, which prints a token
 *   GATEWAY_TOKEN=<token> node examples/echo-bot.mjs main  # in another terminal, in this checkout; Ctrl+C ends it
 *
 * GATEWAY_URL names another gateway. POSITION names the file of the position in the events. The session must be linked:
 * see send.mjs. A key needs the scope `send`. Two bots that write to each other never end.
 */
import { createClient, GatewayError, listen, sendText } from '@chat-web/host';
import { filePosition } from '@chat-web/host/node';

const { GATEWAY_URL: url = 'http://127.0.0.1:3000', GATEWAY_TOKEN: token } = process.env;
const { POSITION = 'echo-bot.position' } = process.env;
const [session = 'main'] = process.argv.slice(2);
const MAX_ATTEMPTS = 5;

const client = createClient({ url, token });
const listener = listen(
  { url, token },
  {
    sessions: [session],
    position: filePosition(POSITION),
    onConnect: () => console.error('connected'),
    // A handler that fails gets the event again: a number may not be on the network, so the bot gives up at some point.
    onError: (error, event, attempt = 0) => {
      console.error(error instanceof GatewayError ? `${error.code}: ${error.message}` : error);
      return event && attempt >= MAX_ATTEMPTS ? 'skip' : undefined;
    },
  },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => listener.stop());

try {
  await listener.run({
    message: async ({ data: { id, type, from, fromMe, isStatus, body } }) => {
      if (type !== 'text' || fromMe || isStatus) return;
      // The event may be delivered again: with its id as the key, the answer is sent once.
      const sent = await sendText(client, { id: session, type: 'text', to: from, body }, { idempotencyKey: id });
      console.log(`answered ${id} with ${sent.id}`);
    },
  });
} catch (error) {
  console.error(error instanceof GatewayError ? `${error.code}: ${error.message}` : error);
  process.exitCode = 1;
}
