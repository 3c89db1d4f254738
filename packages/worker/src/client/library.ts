import type wwebjs from 'whatsapp-web.js';
import Client from 'whatsapp-web.js/src/Client.js';

/** Methods of the library that its types do not declare: its steps between start and ready. */
interface LibrarySeams {
  initialize(): Promise<void>;
  inject(): Promise<void>;
  attachEventListeners(): Promise<void>;
}

type ClientClass = new (options: wwebjs.ClientOptions) => Omit<wwebjs.Client, keyof LibrarySeams> & LibrarySeams;

/** The library's client, without its index, which also loads archivers and more that a worker never needs. */
export const LibraryClient = Client as ClientClass;
