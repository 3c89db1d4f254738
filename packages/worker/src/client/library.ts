import type wwebjs from 'whatsapp-web.js';
import Client from 'whatsapp-web.js/src/Client.js';
import { WhatsWebURL } from 'whatsapp-web.js/src/util/Constants.js';

/**
 * What the worker uses of whatsapp-web.js: its steps from the page's load to its start, which find the page's modules,
 * build its QR and install the functions that `page/tools/library.ts` calls.
 */

/** Methods of the client that the library's types do not declare, and that `WhatsAppClient` replaces or wraps. */
interface LibrarySeams {
  /** Launches the browser and loads the page. Replaced. */
  initialize(): Promise<void>;
  /** Prepares a document. Waits for its modules, exposes handlers to it, and sends its QR. */
  inject(): Promise<void>;
  /** Exposes the handlers of messages. Replaced by `page/listeners.ts`. */
  attachEventListeners(): Promise<void>;
}

type ClientClass = new (options: wwebjs.ClientOptions) => Omit<wwebjs.Client, keyof LibrarySeams> & LibrarySeams;

/** The library's client, without its index, which also loads archivers and more that a worker never needs. */
export const LibraryClient = Client as ClientClass;

/** Functions that the library exposes to the page, by what they report; `WhatsAppClient` replaces them. */
export const EXPOSED = {
  socketState: 'onAuthAppStateChangedEvent',
  /** The page has loaded the account: the library then attaches its listeners. */
  synced: 'onAppStateHasSyncedEvent',
  progress: 'onOfflineProgressUpdateEvent',
  logout: 'onLogoutEvent',
} as const;

/** The address of the page. */
export const PAGE_URL = WhatsWebURL;
