/**
 * Links an account if needed, and sends a text.
 *
 *   npm start                                                          # or npm run demo, which prints a token
 *   GATEWAY_TOKEN=<token> node examples/send.mjs +12025550102 "Hello"  # in another terminal, in this checkout
 *
 * The demo's session `main` is linked, and its phones know +12025550102. GATEWAY_URL and SESSION name another gateway
 * or session. A key needs the scope `manage`: with `send`, leave out the start.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, GatewayError, sendText } from '@chat-web/host';

const { GATEWAY_URL: url = 'http://127.0.0.1:3000', GATEWAY_TOKEN: token, SESSION: id = 'main' } = process.env;
const [to, body = 'Hello'] = process.argv.slice(2);
const POLL_MS = 1_000;

if (to === undefined) {
  console.error('Usage: node examples/send.mjs <number with country code> [text]');
  process.exit(64);
}

const client = createClient({ url, token });
try {
  await untilReady();
  const sent = await sendText(client, { id, type: 'text', to, body });
  console.log(`sent ${sent.id}`); // The network has it. `message_ack` events follow.
} catch (error) {
  if (!(error instanceof GatewayError)) throw error;
  console.error(`${error.code}: ${error.message}`);
  if (error.code === 'outcome_unknown') console.error('It may have been sent: check the chat before you send again.');
  process.exitCode = 1;
}

/** Starts the session, and prints each QR until it is scanned. Throws if the session fails. */
async function untilReady() {
  let shown;
  let session = await client.startSession({ id }); // Changes nothing if the session is running.
  while (session.status !== 'ready') {
    const isUp = session.status !== 'failed' && session.status !== 'stopped';
    if (!isUp || session.reason === 'PASSKEY_REQUIRED')
      throw new GatewayError(
        'session_not_ready',
        `session ${id} is ${session.status}: ${session.message ?? 'start it again'}`,
      );
    const qr = session.status === 'qr' ? await currentQr() : undefined;
    if (qr !== undefined && qr !== shown) {
      console.log(`Open this link in a browser, and scan it on the phone (Settings, Linked devices):\n${qr}`);
      shown = qr;
    }
    await delay(POLL_MS);
    session = await client.getSessionStatus({ id }); // 404 if the QR was not scanned in time.
  }
}

/** The QR as a data URL. It changes every 20 to 60 s; undefined if it was scanned a moment ago. */
async function currentQr() {
  try {
    return (await client.getQr({ id })).qr;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'qr_not_available') return undefined;
    throw error;
  }
}
