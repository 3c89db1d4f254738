import fs from 'node:fs';
import path from 'node:path';
import { resultWithin } from '@chat-web/protocol';
import type { Browser, Target } from 'puppeteer';
import { CdpBrowser } from 'puppeteer/internal/cdp/Browser.js';
import { Connection } from 'puppeteer/internal/cdp/Connection.js';
import { environment } from 'puppeteer/internal/environment.js';
import { PipeTransport } from 'puppeteer/internal/node/PipeTransport.js';
import type { BrowserProcess } from './browser-process.ts';

const LAUNCH_TIMEOUT_MS = 60_000;
const EXIT_TIMEOUT_MS = 500;
/** Longer than all our other time limits: the last resort for a call to a page that never answers. */
const PROTOCOL_TIMEOUT_MS = 120_000;

/** A page could otherwise write files of any size and name to the downloads folder of the browser's user. */
const DOWNLOADS = { policy: 'deny' } as const;
/** The browser would report each frame of the page's socket, and keep everything that the page loads. */
const OBSERVES_NETWORK = false;

// As in puppeteer's entry point, which also loads the code to download and launch browsers.
environment.value = { fs, path } as typeof environment.value;

/**
 * Connects puppeteer to a started browser, as its launcher does, and resolves when the browser has a page. Rejects with
 * the end of the browser's output if it exits before.
 */
export async function connectBrowser(
  started: BrowserProcess,
  targetFilter: (target: Target) => boolean,
): Promise<Browser> {
  const over = started.exited.then((): never => {
    throw new Error('the browser exited');
  });
  try {
    return await Promise.race([connect(started, targetFilter), over]);
  } catch (error) {
    // The pipes close a moment before the exit is known, which gives a better reason.
    const how = await resultWithin(started.exited, EXIT_TIMEOUT_MS);
    if (how === undefined) throw error;
    throw new Error(started.lastOutput ? `${how}: ${started.lastOutput}` : how, { cause: error });
  }
}

async function connect(started: BrowserProcess, targetFilter: (target: Target) => boolean): Promise<Browser> {
  const { commands, answers } = started.pipes;
  const connection = new Connection('', new PipeTransport(commands, answers), 0, PROTOCOL_TIMEOUT_MS);
  const close = async () => {
    await connection.closeBrowser().catch(() => started.kill());
    await started.exited;
  };
  const filter = targetFilter as never; // The same class of targets, by its internal name.
  const created = await CdpBrowser._create(
    connection,
    [],
    false,
    null,
    DOWNLOADS,
    undefined,
    close,
    filter,
    undefined,
    true,
    OBSERVES_NETWORK,
  );
  const browser = created as unknown as Browser;
  browser.version().then(
    (product) => started.onVersion(product),
    () => {}, // It has exited.
  );
  await browser.waitForTarget((target) => target.type() === 'page', { timeout: LAUNCH_TIMEOUT_MS });
  return browser;
}
