export { cacheOptionsFromEnv } from './cache/cached-client.ts';
export { cloudWebhookFromEnv, type Environment } from './cloud/cloud-webhook.ts';
export { filePosition } from './node/file-position.ts';
export { gatewayAddress, unixSocketFetch } from './node/unix-socket-fetch.ts';
