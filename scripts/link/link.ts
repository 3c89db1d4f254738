import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LINK_MARKER } from '@chat-web/gateway/tools';
import { createClient } from '@chat-web/host';
import type { OperationMethods, SessionView } from '@chat-web/protocol';
import { quoted, reasonOf } from '../command-line.ts';
import { askFirst, moveSession, viewOf } from '../move/move-session.ts';
import { startOwnGateway } from '../own-gateway.ts';
import type { LinkOptions } from './arguments.ts';

export interface LinkSurroundings {
  readonly env: NodeJS.ProcessEnv;
  /** Reports progress to the owner, and what to do. */
  print(line: string): void;
  readonly signal: AbortSignal;
}

const LOOK_MS = 500;
/** By then the owner has left. */
const LINK_TIMEOUT_MS = 60 * 60_000;
/** A second run, or the rest of a killed one, which ends by itself. */
const IN_USE = 'another run of this command has the session, or is still ending: end it, or wait half a minute';
/** After this many, the load of the computer is not the cause. */
const MAX_LAUNCHES = 3;
/** These have an account: another one must not replace it. */
const LINKED: readonly string[] = ['ready', 'authenticating', 'disconnected'];

/** The session has not moved: `moveSession` has reported why, and where it is. */
class NotMovedError extends Error {}

interface Progress {
  /** This run has locked the folder. */
  isOurs: boolean;
  isScanned: boolean;
  /** The session is ready on the gateway. From then on no advice may be to unlink it. */
  hasArrived: boolean;
}

/**
 * Links an account in a window on this computer, and moves the session to a gateway. Returns true once it is ready
 * there, and nothing is left here; otherwise false, after `print` was called with the reason. After any interruption, a
 * session that was ready is complete in the folder or on the gateway, and another call resumes there; before that,
 * nothing is kept.
 */
export async function link(options: LinkOptions, around: LinkSurroundings): Promise<boolean> {
  const { print, signal } = around;
  const progress = { isOurs: false, isScanned: false, hasArrived: false };
  try {
    await linkAndMove(options, around, progress);
    await removeFolder(options.folder);
    print('Done. Nothing of the session is left on this computer.');
    return true;
  } catch (error) {
    if (!(error instanceof NotMovedError)) print(signal.aborted ? 'interrupted' : `failed: ${reasonOf(error)}`);
    await printWhatIsLeft(options, progress, print);
    return false;
  }
}

async function linkAndMove(
  { gateway, session: id, folder }: LinkOptions,
  around: LinkSurroundings,
  progress: Progress,
): Promise<void> {
  const { env, print, signal } = around;
  const there = createClient(gateway.address);
  const own = await startOwnGateway(env, settingsIn(folder), signal).catch((error: Error) => {
    throw / is in use by another gateway/.test(error.message) ? new Error(IN_USE) : error;
  });
  progress.isOurs = true;
  try {
    const here = createClient(own.address);
    // Then the gateway may have it by now, and is right to refuse another.
    const hasMoved = (await viewOf(here, id, signal))?.status === 'moved';
    if (!hasMoved) {
      await askFirst({ url: gateway.url, client: there }, id, signal);
      const found = await viewOf(there, id, signal);
      if (found && LINKED.includes(found.status))
        throw new Error(`session ${id} is linked on the gateway already: to link another account, choose another id`);
      await linkHere(here, id, around, () => {
        progress.isScanned = true;
      });
    }
    const from = { url: 'this computer', address: own.address };
    progress.hasArrived = await moveSession({ from, to: gateway, session: id }, print, signal);
    if (!progress.hasArrived) throw new NotMovedError();
    await here.deleteSession({ id });
  } finally {
    await own.end();
  }
}

/** After a failure. Removes the folder if another run could not resume from it. */
async function printWhatIsLeft(
  { gateway: { url }, session: id, folder }: LinkOptions,
  { isOurs, isScanned, hasArrived }: Progress,
  print: LinkSurroundings['print'],
): Promise<void> {
  if (hasArrived) return print(`session ${id} runs on ${url}: keep its device on the phone, and remove ${folder}`);
  if (existsSync(join(folder, 'sessions', id, LINK_MARKER))) {
    print(`session ${id} is in ${folder}, or on ${url} by now: run this again to continue`);
    return print(`to give up the link instead: delete it there, unlink the device on the phone, and remove ${folder}`);
  }
  if (!isOurs) return print('this run has linked nothing: run it again');
  await removeFolder(folder).catch(() => {});
  if (isScanned) print('the link is lost: remove the device on the phone');
  print('nothing is left on this computer: run this again to start over');
}

function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** A gateway with windows, for one session. */
function settingsIn(folder: string): Record<string, string> {
  return {
    CHAT_WEB_DATA_DIR: folder,
    CHAT_WEB_BROWSER_WINDOW: 'true',
    CHAT_WEB_HEADLESS_SHELL: 'false',
    CHAT_WEB_MIN_FREE_DISK_MB: '0', // Only servers need this.
    CHAT_WEB_QR_TIMEOUT_SECONDS: String(LINK_TIMEOUT_MS / 1_000),
  };
}

/**
 * Resolves when the session is ready: its account is linked, and its chats are loaded. Before that, a scan may be lost.
 */
async function linkHere(
  here: OperationMethods,
  id: string,
  { print, signal }: LinkSurroundings,
  onScanned: () => void,
): Promise<void> {
  print('A browser window opens. Leave it open until the session has moved.');
  await here.startSession({ id }, { signal });
  const endsAt = performance.now() + LINK_TIMEOUT_MS;
  for (let last = ''; performance.now() < endsAt; await delay(LOOK_MS, undefined, { signal })) {
    const view = await here.getSessionStatus({ id }, { signal });
    const text = sentenceFor(view);
    if (text !== last) print(text);
    last = text;
    if (view.status === 'authenticating' || view.status === 'ready') onScanned();
    if (view.status === 'ready') return;
    if (view.status === 'failed' || view.status === 'stopped') throw new Error(text);
    if (view.reason === 'LAUNCH_FAILED' && view.restarts >= MAX_LAUNCHES - 1)
      throw new Error('no window opens: run this on a desktop, not over ssh, or check CHAT_WEB_BROWSER_PATH');
  }
  throw new Error('the account was not linked within an hour');
}

/** What is happening, and what the owner has to do. */
function sentenceFor({ status, reason, message }: SessionView): string {
  if (status === 'ready') return 'The account is linked, and its chats are loaded. Moving the session to the gateway.';
  if (status === 'authenticating') return 'The phone has scanned the QR. Its chats are loading; leave the phone on.';
  if (reason === 'PASSKEY_REQUIRED') return 'The account asks for its passkey: answer in the window.';
  if (status === 'qr') return 'Scan the QR in the window: on the phone, Settings, Linked devices, Link a device.';
  if (status === 'starting' && reason === undefined) return 'Loading the page.';
  return message === undefined ? status : `${status}: ${quoted(message)}`;
}
