/**
 * Follows the events of a session, across restarts of the gateway and of itself. Prints one JSON line for each event.
 *
 *   npm start                                            # or npm run demo, which prints a token
 *   GATEWAY_TOKEN=<token> node examples/events.mjs main  # in another terminal, in this checkout; Ctrl+C ends it
 *
 * GATEWAY_URL names another gateway. POSITION names a file for the position: with it, the next run resumes where this one
 * ended. The session must have been started once: see send.mjs. A key of the scope `read` is enough, but gets no `qr` events.
 */
import { GatewayError, listen } from '@chat-web/host';
import { filePosition } from '@chat-web/host/node';

const { GATEWAY_URL: url = 'http://127.0.0.1:3000', GATEWAY_TOKEN: token, POSITION } = process.env;
const [id = 'main'] = process.argv.slice(2);

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());

const listener = listen(
  { url, token },
  {
    sessions: id,
    position: POSITION ? filePosition(POSITION) : undefined,
    signal: stop.signal,
    onConnect: () => console.error('connected'),
    onDisconnect: ({ error, retryInMs }) =>
      console.error(
        `${error ? `failed: ${error.cause?.code ?? error.message}` : 'ended'}; again in ${Math.round(retryInMs)} ms`,
      ),
  },
);
try {
  for await (const { id, name, data } of listener) console.log(JSON.stringify({ id, name, data }));
} catch (error) {
  console.error(error instanceof GatewayError ? `${error.code}: ${error.message}` : error);
  process.exitCode = 1;
}
