import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { errorText } from '@chat-web/protocol';
import type { Outcome } from './report.ts';

const HOST = 'web.whatsapp.com';
const PORT = 443;
const TIMEOUT_MS = 5_000;
/** Arguments that route the browser differently from this process: a check from here would prove nothing. */
const DETOURS = ['--host-resolver-rules', '--proxy-server', '--proxy-pac-url'];

/** Whether the network's host resolves and answers. Skipped if the browser takes another route. */
export async function checkNetwork(browserArgs: readonly string[], signal: AbortSignal): Promise<Outcome> {
  const detour = DETOURS.find((name) => browserArgs.some((arg) => arg.startsWith(name)));
  if (detour) return { result: 'skip', detail: `the browser takes another route: CHAT_WEB_BROWSER_ARGS has ${detour}` };
  const ends = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const { address } = await ended(lookup(HOST), ends);
    await connected(address, ends);
    return `${HOST} resolves and answers`;
  } catch (error) {
    const todo = 'check DNS and firewall: browsers need TCP 443 to *.whatsapp.com and *.whatsapp.net';
    return { result: 'fail', detail: `${HOST} cannot be reached (${errorText(error)})`, todo };
  }
}

function connected(address: string, signal: AbortSignal): Promise<void> {
  const socket = connect({ host: address, port: PORT });
  const done = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return ended(done, signal).finally(() => socket.destroy());
}

function ended<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)));
  });
  return Promise.race([work, late]);
}
