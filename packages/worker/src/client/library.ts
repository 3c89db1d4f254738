import { createRequire } from 'node:module';
import type wwebjs from 'whatsapp-web.js';

const require = createRequire(import.meta.url);

/** The library's classes by themselves: its index also loads archivers and more that a worker never needs. */
export const Client: typeof wwebjs.Client = require('whatsapp-web.js/src/Client.js');
export const LocalAuth: typeof wwebjs.LocalAuth = require('whatsapp-web.js/src/authStrategies/LocalAuth.js');
