import { createRequire } from 'node:module';
import type wwebjs from 'whatsapp-web.js';

/** Parts of the library that its types do not declare: its options, and its steps between start and ready. */
interface LibrarySeams {
  readonly options: { readonly userAgent?: string | false };
  inject(): Promise<void>;
  attachEventListeners(): Promise<void>;
  initWebVersionCache(): Promise<void>;
}

type ClientClass = new (options: wwebjs.ClientOptions) => Omit<wwebjs.Client, keyof LibrarySeams> & LibrarySeams;

const require = createRequire(import.meta.url);

/** The library's classes, without its index: that also loads archivers and more that a worker never needs. */
export const LibraryClient: ClientClass = require('whatsapp-web.js/src/Client.js');
export const LocalAuth: typeof wwebjs.LocalAuth = require('whatsapp-web.js/src/authStrategies/LocalAuth.js');
