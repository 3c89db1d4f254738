import http from 'node:http';
import https from 'node:https';

// The health check of the image: exits with 1 unless the gateway of this container answers GET /health with 200.

const { CHAT_WEB_PORT: port = '3000', CHAT_WEB_SOCKET: socketPath, CHAT_WEB_TLS_CERT: certificate } = process.env;
const TIMEOUT_MS = 8_000;

const isTcp = port.toLowerCase() !== 'off';
const { get } = isTcp && certificate ? https : http;
// Its certificate is for the name by which others reach it.
const address = isTcp ? { host: '127.0.0.1', port, rejectUnauthorized: false } : { socketPath };
get({ ...address, path: '/health', timeout: TIMEOUT_MS }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
