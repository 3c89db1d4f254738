import { createRequire } from 'node:module';
import type wwebjs from 'whatsapp-web.js';

/** Methods of the library that its types do not declare: its steps between start and ready. */
interface LibrarySeams {
  inject(): Promise<void>;
  attachEventListeners(): Promise<void>;
  initWebVersionCache(): Promise<void>;
}

type ClientClass = new (options: wwebjs.ClientOptions) => Omit<wwebjs.Client, keyof LibrarySeams> & LibrarySeams;

const require = createRequire(import.meta.url);

/** The library's classes, without its index: that also loads archivers and more that a worker never needs. */
export const LibraryClient: ClientClass = require('whatsapp-web.js/src/Client.js');
export const LocalAuth: typeof wwebjs.LocalAuth = require('whatsapp-web.js/src/authStrategies/LocalAuth.js');
