/**
 * Follows the events of a session, and goes on where it was when the stream ends. Prints one JSON line for each event.
 *
 *   npm start                                            # or npm run demo, which prints a token
 *   GATEWAY_TOKEN=<token> node examples/events.mjs main  # in another terminal, in this checkout; Ctrl+C ends it
 *
 * GATEWAY_URL names another gateway. The session must have been started once: see send.mjs. A key of the scope `read` is
 * enough, but gets no `qr` events.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, GatewayError, openEventStream } from '@chat-web/host';

const { GATEWAY_URL: url = 'http://127.0.0.1:3000', GATEWAY_TOKEN: token } = process.env;
const [id = 'main'] = process.argv.slice(2);
/** A retry does not help: the request or its token is wrong, or the session was deleted. */
const FINAL = ['invalid_request', 'unauthorized', 'forbidden', 'insufficient_scope', 'session_not_found'];
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 30_000;

const gateway = { url, token };
const client = createClient(gateway);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());

try {
  await follow();
} catch (error) {
  if (!stop.signal.aborted) {
    console.error(error instanceof GatewayError ? `${error.code}: ${error.message}` : error);
    process.exitCode = 1;
  }
}

/** Reads one stream after the other, each from the last event of the one before. */
async function follow() {
  let waitMs = FIRST_DELAY_MS;
  /** Store it beside what you do with the events, and the program may end as well. */
  let after;
  for (;;) {
    const attempt = new AbortController();
    try {
      const events = await openEventStream(gateway, id, AbortSignal.any([stop.signal, attempt.signal]), { after });
      waitMs = FIRST_DELAY_MS;
      // A stream begins with the current QR, if there is one, and no other state.
      print('connected', await client.getSessionStatus({ id }));
      for await (const { id: eventId, name, data } of events) {
        print(name, data);
        after = eventId ?? after;
      }
      console.error('the stream ended');
    } catch (error) {
      if (stop.signal.aborted || (error instanceof GatewayError && FINAL.includes(error.code))) throw error;
      console.error(`the stream failed: ${error.cause?.code ?? error.message}`);
      if (error instanceof GatewayError) waitMs = Math.max(waitMs, (error.retryAfterSeconds ?? 0) * 1_000);
    } finally {
      attempt.abort(); // Otherwise the connection stays open if the status request failed.
    }
    await delay(waitMs * (0.5 + Math.random() / 2), undefined, { signal: stop.signal });
    waitMs = Math.min(2 * waitMs, LONGEST_DELAY_MS);
  }
}

/** Replace this with your own code, and take your time: events wait on the gateway's disk. */
function print(name, data) {
  console.log(JSON.stringify({ name, data }));
}
