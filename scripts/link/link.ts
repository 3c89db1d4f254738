import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@chat-web/host';
import { GatewayError, type OperationMethods, type SessionView } from '@chat-web/protocol';
import { askFirst, moveSession } from '../move/move-session.ts';
import { startOwnGateway } from '../own-gateway.ts';
import type { LinkOptions } from './arguments.ts';

/** What surrounds a link. */
export interface LinkSurroundings {
  readonly env: NodeJS.ProcessEnv;
  /** Tells the owner what happens, and what to do. */
  tell(line: string): void;
  readonly signal: AbortSignal;
}

const LOOK_MS = 500;
/** Nobody sits before it any more. */
const LINK_TIMEOUT_MS = 60 * 60_000;
/** These have an account: another one must not take their place. */
const LINKED: readonly string[] = ['ready', 'authenticating', 'disconnected'];

/**
 * Links an account in a window on this computer, and moves the session to a gateway. Returns true once it is ready there,
 * and nothing is left here; false if it is not: `tell` has been told why. Whatever interrupts it, the session is whole in
 * the folder or on the gateway, and another call goes on from there.
 */
export async function link({ gateway, session: id, folder }: LinkOptions, around: LinkSurroundings): Promise<boolean> {
  const { env, tell, signal } = around;
  const there = createClient(gateway.address);
  try {
    const own = await startOwnGateway(env, settingsIn(folder), signal);
    try {
      const here = createClient(own.address);
      const hasMoved = (await viewOf(here, id))?.status === 'moved';
      if (!hasMoved) {
        await askFirst({ url: gateway.url, client: there }, id);
        const found = await viewOf(there, id);
        if (found && LINKED.includes(found.status))
          throw new Error(`session ${id} is linked on the gateway already: delete it there, or choose another id`);
        await linkHere(here, id, around);
      }
      const from = { url: 'this computer', address: own.address };
      if (!(await moveSession({ from, to: gateway, session: id }, tell, signal))) return false;
      await here.deleteSession({ id });
    } finally {
      await own.end();
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    tell('Done. Nothing of the session is left on this computer.');
    return true;
  } catch (error) {
    tell(signal.aborted ? 'interrupted' : `failed: ${error instanceof Error ? error.message : String(error)}`);
    tell(`run this again to go on; to give it up, remove ${folder}`);
    return false;
  }
}

/** A gateway with windows, for one session. */
function settingsIn(folder: string): Record<string, string> {
  return {
    CHAT_WEB_DATA_DIR: folder,
    CHAT_WEB_BROWSER_WINDOW: 'true',
    CHAT_WEB_HEADLESS_SHELL: 'false',
    CHAT_WEB_MIN_FREE_DISK_MB: '0', // That is a concern of servers.
  };
}

/** Resolves when the session is ready: its account is linked, and its chats are there. */
async function linkHere(here: OperationMethods, id: string, { tell, signal }: LinkSurroundings): Promise<void> {
  tell('A browser window opens. Leave it open until the session has moved.');
  await here.startSession({ id });
  const endsAt = performance.now() + LINK_TIMEOUT_MS;
  for (let last = ''; performance.now() < endsAt; await delay(LOOK_MS, undefined, { signal })) {
    const view = await here.getSessionStatus({ id });
    const said = sentenceFor(view);
    if (said !== last) tell(said);
    last = said;
    if (view.status === 'ready') return;
    if (view.status === 'failed' || view.status === 'stopped') throw new Error(said);
  }
  throw new Error('the account was not linked within an hour');
}

/** What happens, and what the owner has to do. */
function sentenceFor({ status, reason, message }: SessionView): string {
  if (status === 'ready') return 'The account is linked, and its chats are here. The session moves to the gateway.';
  if (status === 'authenticating') return 'The phone has scanned it. Its chats come; leave the phone on.';
  if (reason === 'PASSKEY_REQUIRED') return 'The account asks for its passkey: answer in the window.';
  if (status === 'qr') return 'Scan the QR in the window: on the phone, Settings, Linked devices, Link a device.';
  if (status === 'starting' && reason === undefined) return 'The page loads.';
  return message === undefined ? status : `${status}: ${message}`;
}

async function viewOf(client: OperationMethods, id: string): Promise<SessionView | undefined> {
  try {
    return await client.getSessionStatus({ id });
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'session_not_found') return undefined;
    throw error;
  }
}
